namespace DroneDelivery.Telemetry.Query;

/// <summary>Words that have a meaning of their own.</summary>
internal static class Keywords
{
    /// <summary>What may stand behind a pipe.</summary>
    public static readonly string[] Operators =
    [
        "count", "distinct", "extend", "filter", "join", "limit", "order", "print", "project", "project-away", "project-keep",
        "project-rename", "render", "sort", "summarize", "take", "top", "union", "where",
    ];

    /// <summary>Operators of the language that this engine does not have.</summary>
    public static readonly string[] UnsupportedOperators =
    [
        "as", "consume", "evaluate", "facet", "find", "fork", "getschema", "graph-match", "invoke", "lookup", "make-series", "mv-apply",
        "mv-expand", "parse", "parse-kv", "parse-where", "partition", "project-reorder", "range", "reduce", "sample", "sample-distinct",
        "scan", "search", "serialize", "top-hitters", "top-nested",
    ];

    private static readonly HashSet<string> InExpressions =
    [
        "and", "or", "by", "in", "in~", "has", "has_cs", "has_any", "contains", "contains_cs", "startswith", "startswith_cs",
        "endswith", "endswith_cs", "between", "matches", "regex", "asc", "desc", "nulls", "first", "last", "on", "of",
    ];

    /// <summary>Whether a quoted name may follow this word, rather than ask for a member of what it names.</summary>
    public static bool MayPrecedeName(string word) => InExpressions.Contains(word) || Operators.Contains(word)
        || word is "let" or "away" or "rename" or "keep" || word.StartsWith('!');
}
