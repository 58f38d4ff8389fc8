using System.Globalization;

namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>
/// Well-typed expressions over a, b (long), x, y (real), s, t (string), p, q (bool), d (datetime), e (timespan).
/// </summary>
internal sealed class RandomExpressions(int seed)
{
    private static readonly string[] Words = ["", "a", "B", "ab", "a b", "Lock lost", "lock", "it's", "x\\y", "é\n"];

    private readonly Random _random = new(seed);

    public string Any(ColumnType type, int depth) =>
        type switch
        {
            ColumnType.Long => Long(depth),
            ColumnType.Real => Real(depth),
            ColumnType.String => Text(depth),
            ColumnType.Bool => Bool(depth),
            ColumnType.DateTime => Date(depth),
            _ => Span(depth),
        };

    public ColumnType Type() =>
        Pick(
            ColumnType.Long,
            ColumnType.Real,
            ColumnType.String,
            ColumnType.Bool,
            ColumnType.DateTime,
            ColumnType.TimeSpan
        );

    public Dictionary<string, (ColumnType Type, object? Value)> Row() =>
        new()
        {
            ["a"] = (ColumnType.Long, OrNull((long)_random.Next(-5, 6))),
            ["b"] = (ColumnType.Long, OrNull((long)_random.Next(0, 4))),
            ["x"] = (ColumnType.Real, OrNull(_random.Next(-8, 9) / 4.0)),
            ["y"] = (ColumnType.Real, OrNull(_random.Next(0, 5) / 2.0)),
            ["s"] = (ColumnType.String, Pick(Words)),
            ["t"] = (ColumnType.String, Pick(Words)),
            ["p"] = (ColumnType.Bool, OrNull(_random.Next(2) == 0)),
            ["q"] = (ColumnType.Bool, OrNull(_random.Next(2) == 0)),
            ["d"] = (
                ColumnType.DateTime,
                OrNull(SmallRun.Start.UtcTicks + (_random.Next(100) * TimeSpan.TicksPerSecond))
            ),
            ["e"] = (ColumnType.TimeSpan, OrNull(_random.Next(-50, 50) * TimeSpan.TicksPerSecond)),
        };

    public static string Constant(ColumnType type, object? value) =>
        (type, value) switch
        {
            (_, null) => $"{type.KqlName()}(null)",
            (ColumnType.Bool, bool truth) => truth ? "true" : "false",
            (ColumnType.DateTime, long ticks) => $"datetime({new DateTime(ticks, DateTimeKind.Utc):O})",
            (ColumnType.TimeSpan, long ticks) => $"timespan({new TimeSpan(ticks):c})",
            (_, IFormattable number) => $"{type.KqlName()}({number.ToString(null, CultureInfo.InvariantCulture)})",
            _ => JsonSerializer.Serialize(value),
        };

    private string Long(int depth) =>
        depth <= 0
            ? Leaf(ColumnType.Long)
            : _random.Next(12) switch
            {
                0 => $"-({Long(depth - 1)})",
                1 => $"strlen({Text(depth - 1)})",
                2 => $"tolong({Real(depth - 1)})",
                3 => $"bin({Long(depth - 1)}, {_random.Next(0, 4)})",
                4 => $"abs({Long(depth - 1)})",
                5 => $"{Pick("min_of", "max_of")}({Long(depth - 1)}, {Long(depth - 1)})",
                6 => Chosen(ColumnType.Long, depth),
                7 => $"coalesce({Long(depth - 1)}, {Long(depth - 1)})",
                8 => $"tolong({Bool(depth - 1)})",
                _ => $"({Long(depth - 1)} {Pick("+", "-", "*", "/", "%")} {Long(depth - 1)})",
            };

    private string Real(int depth) =>
        depth <= 0
            ? Leaf(ColumnType.Real)
            : _random.Next(8) switch
            {
                0 => $"-({Real(depth - 1)})",
                1 => $"todouble({Long(depth - 1)})",
                2 => $"({Span(depth - 1)} / {Span(depth - 1)})",
                3 => Chosen(ColumnType.Real, depth),
                4 => $"({Long(depth - 1)} {Pick("+", "-", "*")} {Real(depth - 1)})",
                _ => $"({Real(depth - 1)} {Pick("+", "-", "*", "/")} {Real(depth - 1)})",
            };

    private string Text(int depth) =>
        depth <= 0
            ? Leaf(ColumnType.String)
            : _random.Next(7) switch
            {
                0 => $"strcat({Text(depth - 1)}, {Long(depth - 1)}, {Bool(depth - 1)})",
                1 => $"{Pick("tolower", "toupper")}({Text(depth - 1)})",
                2 => $"substring({Text(depth - 1)}, {_random.Next(0, 3)}, {_random.Next(0, 3)})",
                3 => $"tostring({Long(depth - 1)})",
                4 => $"coalesce({Text(depth - 1)}, {Text(depth - 1)})",
                5 => $"replace_string({Text(depth - 1)}, 'a', {Text(0)})",
                _ => Chosen(ColumnType.String, depth),
            };

    private string Bool(int depth)
    {
        if (depth <= 0)
            return Leaf(ColumnType.Bool);
        var type = Type();
        var ordered = type == ColumnType.Bool ? ColumnType.Long : type;
        return _random.Next(12) switch
        {
            0 => $"not({Bool(depth - 1)})",
            1 or 2 => $"({Bool(depth - 1)} {Pick("and", "or")} {Bool(depth - 1)})",
            3 => $"isnull({Any(type, depth - 1)})",
            4 => $"{Pick("isempty", "isnotempty")}({Text(depth - 1)})",
            5 => $"({Text(depth - 1)} {Pick("in", "!in", "in~", "!in~")} ({Text(0)}, {Text(0)}))",
            6 => $"({Long(depth - 1)} {Pick("in", "!in")} (1, coalesce({Long(0)}, 0), 2))",
            7 => $"({Real(depth - 1)} {Pick("between", "!between")} ({Real(0)} .. {Real(0)}))",
            8 => $"({Text(depth - 1)} {TextComparison()} {Text(depth - 1)})",
            9 => $"({Any(ordered, depth - 1)} {Pick("<", "<=", ">", ">=")} {Any(ordered, depth - 1)})",
            _ => $"({Any(type, depth - 1)} {Pick("==", "!=")} {Any(type, depth - 1)})",
        };
    }

    private string TextComparison() =>
        Pick(Pick("=~", "!~"), Pick("", "!") + Pick("has", "contains", "startswith", "endswith") + Pick("", "_cs"));

    private string Date(int depth) =>
        depth <= 0
            ? Leaf(ColumnType.DateTime)
            : _random.Next(4) switch
            {
                0 => $"bin({Date(depth - 1)}, {_random.Next(1, 20)}s)",
                1 => Chosen(ColumnType.DateTime, depth),
                _ => $"({Date(depth - 1)} {Pick("+", "-")} {Span(depth - 1)})",
            };

    private string Span(int depth) =>
        depth <= 0
            ? Leaf(ColumnType.TimeSpan)
            : _random.Next(5) switch
            {
                0 => $"({Date(depth - 1)} - {Date(depth - 1)})",
                1 => $"-({Span(depth - 1)})",
                2 => Chosen(ColumnType.TimeSpan, depth),
                _ => $"({Span(depth - 1)} {Pick("+", "-")} {Span(depth - 1)})",
            };

    /// <summary>Returns a column, or a constant that it contains in some row.</summary>
    private string Leaf(ColumnType type)
    {
        var (name, cell) = Pick([.. Row().Where(it => it.Value.Type == type)]);
        return _random.Next(3) == 0 ? Constant(type, cell.Value) : name;
    }

    private string Chosen(ColumnType type, int depth) =>
        _random.Next(2) == 0
            ? $"iff({Bool(depth - 1)}, {Any(type, depth - 1)}, {Any(type, depth - 1)})"
            : $"case({Bool(depth - 1)}, {Any(type, depth - 1)}, {Bool(depth - 1)}, {Any(type, depth - 1)}, {Any(type, depth - 1)})";

    private T Pick<T>(params T[] choices) => choices[_random.Next(choices.Length)];

    private object? OrNull(object value) => _random.Next(5) == 0 ? null : value;
}
