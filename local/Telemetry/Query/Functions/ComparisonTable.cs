using DroneDelivery.Telemetry.Tables;
using static DroneDelivery.Telemetry.Query.TextComparisons;

namespace DroneDelivery.Telemetry.Query;

/// <summary>How a comparison is written, and how it is evaluated.</summary>
/// <param name="Function">Compares two values; null where the right side is a list or a range.</param>
/// <param name="Each">For a list: how the value is compared with each item.</param>
/// <param name="IsNegated">For a list or a range: whether the answer is turned round.</param>
internal sealed record ComparisonEntry(
    string Name,
    Comparison Comparison,
    Function? Function = null,
    Comparison? Each = null,
    bool IsNegated = false
)
{
    /// <summary>What the lexer makes of the name: <c>matches regex</c> is two words.</summary>
    public string[] Words { get; } = Name.Split(' ');
}

/// <summary>Every comparison: its name, what it is, how it is evaluated. Its symbols and keywords follow from it.</summary>
internal static class ComparisonTable
{
    public static readonly IReadOnlyList<ComparisonEntry> All =
    [
        Values("==", Comparison.Equal, ValueComparisons.Equality(negated: false)),
        Values("!=", Comparison.NotEqual, ValueComparisons.Equality(negated: true)),
        Values("<>", Comparison.NotEqual, ValueComparisons.Equality(negated: true)),
        Values("<", Comparison.Less, ValueComparisons.Order(sign => sign < 0, (a, b) => a < b, (a, b) => a < b)),
        Values(
            "<=",
            Comparison.LessOrEqual,
            ValueComparisons.Order(sign => sign <= 0, (a, b) => a <= b, (a, b) => a <= b)
        ),
        Values(">", Comparison.Greater, ValueComparisons.Order(sign => sign > 0, (a, b) => a > b, (a, b) => a > b)),
        Values(
            ">=",
            Comparison.GreaterOrEqual,
            ValueComparisons.Order(sign => sign >= 0, (a, b) => a >= b, (a, b) => a >= b)
        ),
        // Of texts. They ignore case unless they end in _cs.
        Texts("=~", Comparison.EqualIgnoringCase, EqualIgnoringCase),
        Texts("!~", Comparison.NotEqualIgnoringCase, Not(EqualIgnoringCase)),
        Texts("has", Comparison.Has, Has),
        Texts("!has", Comparison.HasNot, Not(Has)),
        Texts("has_cs", Comparison.HasCased, HasCased),
        Texts("!has_cs", Comparison.HasNotCased, Not(HasCased)),
        Texts("contains", Comparison.Contains, Contains),
        Texts("!contains", Comparison.ContainsNot, Not(Contains)),
        Texts("contains_cs", Comparison.ContainsCased, ContainsCased),
        Texts("!contains_cs", Comparison.ContainsNotCased, Not(ContainsCased)),
        Texts("startswith", Comparison.StartsWith, StartsWith),
        Texts("!startswith", Comparison.StartsNotWith, Not(StartsWith)),
        Texts("startswith_cs", Comparison.StartsWithCased, StartsWithCased),
        Texts("!startswith_cs", Comparison.StartsNotWithCased, Not(StartsWithCased)),
        Texts("endswith", Comparison.EndsWith, EndsWith),
        Texts("!endswith", Comparison.EndsNotWith, Not(EndsWith)),
        Texts("endswith_cs", Comparison.EndsWithCased, EndsWithCased),
        Texts("!endswith_cs", Comparison.EndsNotWithCased, Not(EndsWithCased)),
        Values(
            "matches regex",
            Comparison.MatchesRegex,
            [new(ColumnType.Bool, [ColumnType.String, ColumnType.String], MatchesRegex)]
        ),
        // A value and a list of them.
        new("in", Comparison.In, Each: Comparison.Equal),
        new("!in", Comparison.NotIn, Each: Comparison.Equal, IsNegated: true),
        new("in~", Comparison.InIgnoringCase, Each: Comparison.EqualIgnoringCase),
        new("!in~", Comparison.NotInIgnoringCase, Each: Comparison.EqualIgnoringCase, IsNegated: true),
        new("has_any", Comparison.HasAny, Each: Comparison.Has),
        // A value and a range.
        new("between", Comparison.Between),
        new("!between", Comparison.NotBetween, IsNegated: true),
    ];

    private static readonly Dictionary<string, ComparisonEntry> ByFirstWord = All.ToDictionary(entry => entry.Words[0]);

    private static readonly Dictionary<Comparison, ComparisonEntry> ByComparison = All.DistinctBy(entry =>
            entry.Comparison
        )
        .ToDictionary(entry => entry.Comparison);

    /// <summary>The comparison that a symbol or word begins; null when it begins none.</summary>
    public static ComparisonEntry? Find(string firstWord) => ByFirstWord.GetValueOrDefault(firstWord);

    public static ComparisonEntry Of(Comparison comparison) => ByComparison[comparison];

    private static ComparisonEntry Texts(string name, Comparison comparison, Func<string, string, bool> test) =>
        Values(
            name,
            comparison,
            [new(ColumnType.Bool, [ColumnType.String, ColumnType.String], Kernels.Of(ColumnType.Bool, test))]
        );

    private static ComparisonEntry Values(string name, Comparison comparison, Overload[] overloads) =>
        new(name, comparison, new(name, ResultName.None, overloads));

    private static Func<string, string, bool> Not(Func<string, string, bool> test) => (a, b) => !test(a, b);
}
