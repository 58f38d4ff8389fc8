using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>How two texts are compared.</summary>
internal static class TextComparisons
{
    private const StringComparison IgnoringCase = StringComparison.OrdinalIgnoreCase,
        Cased = StringComparison.Ordinal;

    public static bool EqualIgnoringCase(string a, string b) => a.Equals(b, IgnoringCase);

    /// <summary>Whether the term stands in the text as a whole: what is around it is no letter or digit, unless the term itself ends with
    /// something else.</summary>
    public static bool Has(string text, string term) => HasTerm(text, term, IgnoringCase);

    public static bool HasCased(string text, string term) => HasTerm(text, term, Cased);

    public static bool Contains(string text, string part) => text.Contains(part, IgnoringCase);

    public static bool ContainsCased(string text, string part) => text.Contains(part, Cased);

    public static bool StartsWith(string text, string part) => text.StartsWith(part, IgnoringCase);

    public static bool StartsWithCased(string text, string part) => text.StartsWith(part, Cased);

    public static bool EndsWith(string text, string part) => text.EndsWith(part, IgnoringCase);

    public static bool EndsWithCased(string text, string part) => text.EndsWith(part, Cased);

    public static Column MatchesRegex(Column[] arguments, int length, QueryContext context)
    {
        var matches = Kernels.Of<string, string, bool>(ColumnType.Bool, (text, pattern) =>
            context.Expression(pattern).IsMatch(text)
        );
        return matches(arguments, length, context);
    }

    private static bool HasTerm(string text, string term, StringComparison comparison)
    {
        if (term.Length == 0)
            return true;
        for (var at = text.IndexOf(term, comparison); at >= 0; at = text.IndexOf(term, at + 1, comparison))
        {
            var end = at + term.Length;
            var beginsWhole = at == 0 || !char.IsLetterOrDigit(term[0]) || !char.IsLetterOrDigit(text[at - 1]);
            var endsWhole = end == text.Length || !char.IsLetterOrDigit(term[^1]) || !char.IsLetterOrDigit(text[end]);
            if (beginsWhole && endsWhole)
                return true;
        }
        return false;
    }
}
