namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>Well-typed expressions over a, b (long), x, y (real), s, t (string), p, q (bool), d (datetime), e (timespan).</summary>
internal sealed class RandomExpressions(int seed)
{
    private static readonly string[] Words = ["", "a", "B", "ab", "a b", "Lock lost", "lock", "it's", "x\\y", "é\n"];

    private static readonly Comparison[] Lists =
        [Comparison.In, Comparison.NotIn, Comparison.InIgnoringCase, Comparison.NotInIgnoringCase];

    private static readonly Comparison[] Orders =
        [Comparison.Less, Comparison.LessOrEqual, Comparison.Greater, Comparison.GreaterOrEqual];

    private static readonly Comparison[] Texts =
    [
        Comparison.EqualIgnoringCase, Comparison.NotEqualIgnoringCase,
        Comparison.Has, Comparison.HasNot, Comparison.HasCased, Comparison.HasNotCased,
        Comparison.Contains, Comparison.ContainsNot, Comparison.ContainsCased, Comparison.ContainsNotCased,
        Comparison.StartsWith, Comparison.StartsNotWith, Comparison.StartsWithCased, Comparison.StartsNotWithCased,
        Comparison.EndsWith, Comparison.EndsNotWith, Comparison.EndsWithCased, Comparison.EndsNotWithCased,
    ];

    private readonly Random _random = new(seed);

    public Expression Any(ColumnType type, int depth) => type switch
    {
        ColumnType.Long => Long(depth),
        ColumnType.Real => Real(depth),
        ColumnType.String => Text(depth),
        ColumnType.Bool => Bool(depth),
        ColumnType.DateTime => Date(depth),
        _ => Span(depth),
    };

    public ColumnType Type() => Pick(
        ColumnType.Long, ColumnType.Real, ColumnType.String, ColumnType.Bool, ColumnType.DateTime, ColumnType.TimeSpan);

    public Dictionary<string, object?> Row() => new()
    {
        ["a"] = Maybe(() => (object)(long)_random.Next(-5, 6)),
        ["b"] = Maybe(() => (object)(long)_random.Next(0, 4)),
        ["x"] = Maybe(() => (object)(_random.Next(-8, 9) / 4.0)),
        ["y"] = Maybe(() => (object)(_random.Next(0, 5) / 2.0)),
        ["s"] = Pick(Words),
        ["t"] = Pick(Words),
        ["p"] = Maybe(() => (object)(_random.Next(2) == 0)),
        ["q"] = Maybe(() => (object)(_random.Next(2) == 0)),
        ["d"] = Maybe(() => (object)(SmallRun.Start.UtcTicks + (_random.Next(100) * TimeSpan.TicksPerSecond))),
        ["e"] = Maybe(() => (object)(_random.Next(-50, 50) * TimeSpan.TicksPerSecond)),
    };

    private Expression Long(int depth) => depth <= 0 ? Leaf(ColumnType.Long) : _random.Next(12) switch
    {
        0 => Negated(Long(depth - 1)),
        1 => Called("strlen", Text(depth - 1)),
        2 => Called("tolong", Real(depth - 1)),
        3 => Called("bin", Long(depth - 1), Whole(_random.Next(0, 4))),
        4 => Called("abs", Long(depth - 1)),
        5 => Called(Pick("min_of", "max_of"), Long(depth - 1), Long(depth - 1)),
        6 => Chosen(ColumnType.Long, depth),
        7 => Called("coalesce", Long(depth - 1), Long(depth - 1)),
        8 => Called("tolong", Bool(depth - 1)),
        _ => new Binary(0, Pick("+", "-", "*", "/", "%"), Long(depth - 1), Long(depth - 1)),
    };

    private Expression Real(int depth) => depth <= 0 ? Leaf(ColumnType.Real) : _random.Next(8) switch
    {
        0 => Negated(Real(depth - 1)),
        1 => Called("todouble", Long(depth - 1)),
        2 => new Binary(0, "/", Span(depth - 1), Span(depth - 1)),
        3 => Chosen(ColumnType.Real, depth),
        4 => new Binary(0, Pick("+", "-", "*"), Long(depth - 1), Real(depth - 1)),
        _ => new Binary(0, Pick("+", "-", "*", "/"), Real(depth - 1), Real(depth - 1)),
    };

    private Expression Text(int depth) => depth <= 0 ? Leaf(ColumnType.String) : _random.Next(7) switch
    {
        0 => Called("strcat", Text(depth - 1), Long(depth - 1), Bool(depth - 1)),
        1 => Called(Pick("tolower", "toupper"), Text(depth - 1)),
        2 => Called("substring", Text(depth - 1), Whole(_random.Next(0, 3)), Whole(_random.Next(0, 3))),
        3 => Called("tostring", Long(depth - 1)),
        4 => Called("coalesce", Text(depth - 1), Text(depth - 1)),
        5 => Called("replace_string", Text(depth - 1), new Literal(0, ColumnType.String, "a"), Text(0)),
        _ => Chosen(ColumnType.String, depth),
    };

    private Expression Bool(int depth)
    {
        if (depth <= 0)
            return Leaf(ColumnType.Bool);
        var type = Type();
        return _random.Next(12) switch
        {
            0 => Called("not", Bool(depth - 1)),
            1 or 2 => new Binary(0, Pick("and", "or"), Bool(depth - 1), Bool(depth - 1)),
            3 => Called("isnull", Any(type, depth - 1)),
            4 => Called(Pick("isempty", "isnotempty"), Text(depth - 1)),
            5 => new InList(0, Pick(Lists), Text(depth - 1), [Text(0), Text(0)]),
            6 => new InList(0, Pick(Comparison.In, Comparison.NotIn), Long(depth - 1), [Whole(1), Long(0), Whole(-2)]),
            7 => new InRange(0, Pick(Comparison.Between, Comparison.NotBetween), Real(depth - 1), Real(0), Real(0)),
            8 => new Compare(0, Pick(Texts), Text(depth - 1), Text(depth - 1)),
            9 => new Compare(0, Pick(Orders), Any(Orderable(type), depth - 1), Any(Orderable(type), depth - 1)),
            _ => new Compare(0, Pick(Comparison.Equal, Comparison.NotEqual), Any(type, depth - 1), Any(type, depth - 1)),
        };
    }

    private Expression Date(int depth) => depth <= 0 ? Leaf(ColumnType.DateTime) : _random.Next(4) switch
    {
        0 => Called("bin", Date(depth - 1), new Literal(0, ColumnType.TimeSpan, TimeSpan.TicksPerSecond * _random.Next(1, 20))),
        1 => Chosen(ColumnType.DateTime, depth),
        _ => new Binary(0, Pick("+", "-"), Date(depth - 1), Span(depth - 1)),
    };

    private Expression Span(int depth) => depth <= 0 ? Leaf(ColumnType.TimeSpan) : _random.Next(5) switch
    {
        0 => new Binary(0, "-", Date(depth - 1), Date(depth - 1)),
        1 => Negated(Span(depth - 1)),
        2 => Chosen(ColumnType.TimeSpan, depth),
        _ => new Binary(0, Pick("+", "-"), Span(depth - 1), Span(depth - 1)),
    };

    private Expression Leaf(ColumnType type) => _random.Next(3) == 0 ? Constant(type) : new Name(0, type switch
    {
        ColumnType.Long => Pick("a", "b"),
        ColumnType.Real => Pick("x", "y"),
        ColumnType.String => Pick("s", "t"),
        ColumnType.Bool => Pick("p", "q"),
        ColumnType.DateTime => "d",
        _ => "e",
    });

    private Literal Constant(ColumnType type) => new(0, type, type switch
    {
        ColumnType.Long => (long)_random.Next(0, 5),
        ColumnType.Real => _random.Next(-4, 9) / 4.0,
        ColumnType.String => Pick(Words),
        ColumnType.Bool => _random.Next(2) == 0,
        ColumnType.DateTime => SmallRun.Start.UtcTicks + (_random.Next(100) * TimeSpan.TicksPerSecond),
        _ => _random.Next(5) == 0 ? null : _random.Next(0, 100) * TimeSpan.TicksPerSecond,
    });

    private Call Chosen(ColumnType type, int depth) => _random.Next(2) == 0
        ? Called("iff", Bool(depth - 1), Any(type, depth - 1), Any(type, depth - 1))
        : Called("case", Bool(depth - 1), Any(type, depth - 1), Bool(depth - 1), Any(type, depth - 1), Any(type, depth - 1));

    private static ColumnType Orderable(ColumnType type) => type == ColumnType.Bool ? ColumnType.Long : type;

    private static Literal Whole(long value) => new(0, ColumnType.Long, Math.Abs(value));

    // A number and its sign are two things to the grammar.
    private static Negate Negated(Expression operand) => new(0, operand);

    private static Call Called(string function, params Expression[] arguments) => new(0, function, arguments);

    private T Pick<T>(params T[] choices) => choices[_random.Next(choices.Length)];

    private object? Maybe(Func<object> value) => _random.Next(5) == 0 ? null : value();
}
