using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>
/// <c>has</c>, <c>contains</c>, <c>startswith</c>, … and their opposites. They ignore case unless they end in <c>_cs</c>.
/// </summary>
internal static class TextOperators
{
    private const StringComparison IgnoreCase = StringComparison.OrdinalIgnoreCase;

    private static readonly (string Name, Func<string, string, bool> Test)[] Tests =
    [
        ("has", (text, term) => HasTerm(text, term, IgnoreCase)),
        ("has_cs", (text, term) => HasTerm(text, term, StringComparison.Ordinal)),
        ("contains", (text, part) => text.Contains(part, IgnoreCase)),
        ("contains_cs", (text, part) => text.Contains(part, StringComparison.Ordinal)),
        ("startswith", (text, part) => text.StartsWith(part, IgnoreCase)),
        ("startswith_cs", (text, part) => text.StartsWith(part, StringComparison.Ordinal)),
        ("endswith", (text, part) => text.EndsWith(part, IgnoreCase)),
        ("endswith_cs", (text, part) => text.EndsWith(part, StringComparison.Ordinal)),
    ];

    public static readonly Function[] Functions =
    [
        .. Tests.SelectMany(test => new[] { Operator(test.Name, test.Test), Operator("!" + test.Name, (a, b) => !test.Test(a, b)) }),
        Operator("=~", (a, b) => a.Equals(b, IgnoreCase)),
        Operator("!~", (a, b) => !a.Equals(b, IgnoreCase)),
        new("matches regex", ResultName.None, [new(ColumnType.Bool, [ColumnType.String, ColumnType.String], MatchesRegex)]),
    ];

    public static readonly HashSet<string> Names = [.. Functions.Select(function => function.Name)];

    /// <summary>Whether the term stands in the text as a whole: what is around it is no letter or digit, unless the term itself ends with
    /// something else.</summary>
    public static bool HasTerm(string text, string term, StringComparison comparison)
    {
        if (term.Length == 0) return true;
        for (var at = text.IndexOf(term, comparison); at >= 0; at = text.IndexOf(term, at + 1, comparison))
        {
            var end = at + term.Length;
            var beginsWhole = at == 0 || !char.IsLetterOrDigit(term[0]) || !char.IsLetterOrDigit(text[at - 1]);
            var endsWhole = end == text.Length || !char.IsLetterOrDigit(term[^1]) || !char.IsLetterOrDigit(text[end]);
            if (beginsWhole && endsWhole) return true;
        }
        return false;
    }

    private static Function Operator(string name, Func<string, string, bool> test) =>
        new(name, ResultName.None, [new(ColumnType.Bool, [ColumnType.String, ColumnType.String], Kernels.Of(ColumnType.Bool, test))]);

    private static Column MatchesRegex(Column[] arguments, int length, QueryContext context)
    {
        var matches = Kernels.Of<string, string, bool>(
            ColumnType.Bool, (text, pattern) => context.Expression(pattern).IsMatch(text));
        return matches(arguments, length, context);
    }
}
