using static DroneDelivery.Telemetry.Query.Kernels;

namespace DroneDelivery.Telemetry.Query;

/// <param name="Function">Compares two values; <c>null</c> for a list or range.</param>
/// <param name="Each">For a list, the comparison of the value with each item.</param>
/// <param name="IsNegated"><c>true</c> if the result of a list or range is negated.</param>
internal sealed record ComparisonEntry(
    string Name,
    Function? Function = null,
    string? Each = null,
    bool IsNegated = false
)
{
    /// <summary>The tokens of the name; <c>matches regex</c> has two.</summary>
    public string[] Words { get; } = Name.Split(' ');
}

internal static class ComparisonTable
{
    public static readonly IReadOnlyList<ComparisonEntry> All =
    [
        Equality("==", negated: false),
        Equality("!=", negated: true),
        Equality("<>", negated: true),
        Order("<", sign => sign < 0, (a, b) => a < b),
        Order("<=", sign => sign <= 0, (a, b) => a <= b),
        Order(">", sign => sign > 0, (a, b) => a > b),
        Order(">=", sign => sign >= 0, (a, b) => a >= b),
        // Comparisons of strings ignore case unless they end in _cs.
        Text("=~", StringComparison.OrdinalIgnoreCase, string.Equals),
        Text("!~", StringComparison.OrdinalIgnoreCase, (text, other, comparison) => !text.Equals(other, comparison)),
        .. Texts("has", Has),
        .. Texts("contains", (text, part, comparison) => text.Contains(part, comparison)),
        .. Texts("startswith", (text, part, comparison) => text.StartsWith(part, comparison)),
        .. Texts("endswith", (text, part, comparison) => text.EndsWith(part, comparison)),
        new(
            "matches regex",
            new Function(
                "matches regex",
                "string, string -> bool",
                With(context => Of((string text, string pattern) => context.Expression(pattern).IsMatch(text)))
            )
        ),
        // A value and a list.
        new("in", Each: "=="),
        new("!in", Each: "==", IsNegated: true),
        new("in~", Each: "=~"),
        new("!in~", Each: "=~", IsNegated: true),
        new("has_any", Each: "has"),
        // A value and a range.
        new("between"),
        new("!between", IsNegated: true),
    ];

    private static readonly Dictionary<string, ComparisonEntry> ByFirstWord = All.ToDictionary(entry => entry.Words[0]);

    private delegate bool TextTest(string text, string other, StringComparison comparison);

    public static ComparisonEntry? Find(string firstWord) => ByFirstWord.GetValueOrDefault(firstWord);

    /// <summary>Determines whether a string contains a whole term, without a letter or digit before or after
    /// it.</summary>
    public static bool Has(string text, string term, StringComparison comparison)
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

    private static ComparisonEntry Equality(string name, bool negated) =>
        Values(
            name,
            [
                .. Overload.Each("long datetime timespan", "T, T -> bool", Equal((long a, long b) => a == b, negated)),
                new("real, real -> bool", Equal((double a, double b) => a == b, negated)),
                new("bool, bool -> bool", Equal((bool a, bool b) => a == b, negated)),
                new("string, string -> bool", Equal<string, string>(string.Equals, negated)),
                // Classic tables contain success as a string, newer ones as a bool.
                new("bool, string -> bool", Equal<bool, string>(IsText, negated)),
                new("string, bool -> bool", Equal((string text, bool truth) => IsText(truth, text), negated)),
                new("bool, long -> bool", Equal((bool truth, long number) => truth == (number != 0), negated)),
            ]
        );

    // null == null is null; null == value is false.
    private static KernelOf Equal<A, B>(Func<A, B, bool> equal, bool negated) =>
        type =>
            (arguments, length, context) =>
            {
                var a = arguments[0].As<A>();
                var b = arguments[1].As<B>();
                var result = new ColumnMaker<bool>(type, length, context);
                for (var i = 0; i < length; i++)
                {
                    var aIsNull = a.IsNull(i);
                    var bIsNull = b.IsNull(i);
                    if (aIsNull && bIsNull)
                        result.SetNull(i);
                    else
                        result.Set(i, (!aIsNull && !bIsNull && equal(a[i], b[i])) != negated);
                }
                return result.Column;
            };

    private static bool IsText(bool truth, string text) =>
        text.Equals(truth ? "True" : "False", StringComparison.OrdinalIgnoreCase);

    /// <param name="bySign">Tests the sign of a comparison. NaN isn't ordered, so reals have their own test.</param>
    private static ComparisonEntry Order(string name, Func<int, bool> bySign, Func<double, double, bool> real) =>
        Values(
            name,
            [
                .. Overload.Each(
                    "long datetime timespan",
                    "T, T -> bool",
                    Of((long a, long b) => bySign(a.CompareTo(b)))
                ),
                new("real, real -> bool", Of(real)),
                new("string, string -> bool", Of((string a, string b) => bySign(string.CompareOrdinal(a, b)))),
            ]
        );

    private static ComparisonEntry[] Texts(string name, TextTest test) =>
        [
            Text(name, StringComparison.OrdinalIgnoreCase, test),
            Text($"!{name}", StringComparison.OrdinalIgnoreCase, Not(test)),
            Text($"{name}_cs", StringComparison.Ordinal, test),
            Text($"!{name}_cs", StringComparison.Ordinal, Not(test)),
        ];

    private static TextTest Not(TextTest test) => (text, other, comparison) => !test(text, other, comparison);

    private static ComparisonEntry Text(string name, StringComparison comparison, TextTest test) =>
        new(
            name,
            new Function(
                name,
                "string, string -> bool",
                Of((string text, string other) => test(text, other, comparison))
            )
        );

    private static ComparisonEntry Values(string name, params Overload[] overloads) =>
        new(name, new Function(name, overloads));
}
