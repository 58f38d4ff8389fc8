namespace DroneDelivery.Telemetry.Query;

/// <summary>Words that have a meaning of their own.</summary>
internal static class Keywords
{
    private static readonly HashSet<string> BeforeNames =
    [
        .. OperatorTable.Served.SelectMany(entry => entry.Name.Split('-')),
        .. ComparisonTable.All.SelectMany(comparison => comparison.Words),
        "and",
        "or",
        "by",
        "asc",
        "desc",
        "nulls",
        "first",
        "last",
        "on",
        "of",
        "let",
    ];

    /// <summary>Whether a quoted name may follow this word, rather than ask for a member of what it names.</summary>
    public static bool MayPrecedeName(string word) => BeforeNames.Contains(word);
}
