namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>Queries from the engine's grammar over its own tables: right ones, ones with a mistake, ones that only Azure answers.</summary>
internal sealed class RandomQueries(int seed)
{
    private static readonly TableSchema[] Tables =
    [
        KnownTables.Requests, KnownTables.Dependencies, KnownTables.Exceptions, KnownTables.Traces,
        SampleTables.Queues, SampleTables.Nodes,
    ];
    private readonly Random _random = new(seed);
    private List<(string Name, ColumnType Type)> _columns = [];
    private int _names;

    /// <summary>A query as somebody would write it.</summary>
    public string Right()
    {
        _names = 0;
        var let = _random.Next(3) == 0 ? $"let limit_ = {Literal(ColumnType.Long)};\n" : "";
        var query = Source() + string.Concat(Enumerable.Range(0, _random.Next(1, 6)).Select(_ => "\n| " + Step()));
        return let
            + query
            + (let.Length > 0 ? "\n| take limit_" : "")
            + (_random.Next(6) == 0 ? "\n| render " + Pick("timechart", "columnchart", "table") : "");
    }

    /// <summary>A query with one thing changed; often it is none any more.</summary>
    public string Wrong()
    {
        var words = Right().Split(' ').ToList();
        var at = _random.Next(1, words.Count);
        switch (_random.Next(7))
        {
            case 0: words.RemoveAt(at); break;
            case 1: words.Insert(at, Pick("first", "last", "by", "and", "|", ")", "(", "title", "time")); break;
            case 2: (words[at], words[at - 1]) = (words[at - 1], words[at]); break;
            case 3: words[at] = Pick("first", "missing", "date", "nix", "'a'", "7", "=", "==", "count()", "5s"); break;
            case 4: words.Insert(at, words[at - 1]); break;
            case 5: words = [.. words[..at]]; break;
            default: words.Add("\n| extend " + Pick("first", "last", "kind", "real", "string", "views", "größe") + " = 1"); break;
        }

        return string.Join(' ', words);
    }

    /// <summary>A query that Azure answers and the engine knows of, but does not answer.</summary>
    public string Unsupported() => Pick(
        () => $"requests | join kind={Pick("fullouter", "rightouter", "leftanti", "leftsemi", "innerunique")} (dependencies)"
            + $" on operation_Id | take {_random.Next(9)}",
        () => $"requests | join dependencies on operation_Id | take {_random.Next(9)}",
        () => $"requests | make-series n = count() on timestamp from ago(1h) to now() step {_random.Next(1, 9)}m",
        () => $"requests | mv-expand customDimensions | take {_random.Next(9)}",
        () => $"requests | parse name with method ' ' path | take {_random.Next(9)}",
        () => $"search '{_random.Next(9)}'",
        () => $"print x = {_random.Next(9)} | as T",
        () => $"requests | sample {_random.Next(9)}",
        () => $"find where duration > {_random.Next(9)}",
        () => $"let f = () {{ {_random.Next(9)} }}; requests | take 1",
        () => $"requests | serialize | take {_random.Next(9)}",
        () => $"requests | top-nested {_random.Next(1, 9)} of name by count()",
        () => $"requests | summarize make_list(name, {_random.Next(1, 9)})",
        () => $"search 'a{_random.Next(9)}'",
        () => $"requests | getschema | take {_random.Next(9)}")();

    private string Source()
    {
        var table = Pick(Tables);
        _columns = [.. table.Columns.Select(column => (column.Name, column.Type))];
        if (_random.Next(8) > 0)
            return table.Name;
        var other = Pick(KnownTables.Requests, KnownTables.Dependencies);
        _columns = [.. other.Columns.Select(column => (column.Name, column.Type))];
        return $"union {(_random.Next(2) == 0 ? "withsource=origin " : "")}{other.Name} , ( {other.Name} | where {Condition(1)} )";
    }

    private string Step() => _random.Next(12) switch
    {
        0 or 1 or 2 => $"where {Condition(2)}",
        3 => Extend(),
        4 => Project(),
        5 or 6 => Summarize(),
        7 => $"order by {Column(IsOrderable)} {Pick("asc", "desc", "asc nulls last", "desc nulls first", "")}",
        8 => $"top {_random.Next(1, 50)} by {Column(IsOrderable)}",
        9 => $"take {_random.Next(50)}",
        10 => Distinct(),
        _ => Join(),
    };

    private string Extend()
    {
        var (name, type) = (NewName(), Type());
        var step = $"extend {name} = {Value(type, 2)}";
        _columns.Add((name, type));
        return step;
    }

    private string Project()
    {
        var kept = _columns.Where(_ => _random.Next(3) == 0).Append(_columns[0]).Distinct().ToList();
        var (name, type) = (NewName(), Type());
        var step = $"project {string.Join(" , ", kept.Select(column => column.Name))} , {name} = {Value(type, 1)}";
        _columns = [.. kept, (name, type)];
        return step;
    }

    private string Summarize()
    {
        var (by, number, name) = (Column(type => IsOrderable(type)), NewName(), NewName());
        var number1 = Columns(type => type is ColumnType.Long or ColumnType.Real or ColumnType.Int).FirstOrDefault().Name ?? "1";
        var aggregate = Pick(
            $"count()",
            $"sum({number1})",
            $"avg({number1})",
            $"countif( {Condition(1)} )",
            $"dcount({by})",
            $"max({number1})",
            $"sumif( {number1} , {Condition(1)} )",
            $"percentile({number1}, 95)");
        var type = aggregate.StartsWith("avg", StringComparison.Ordinal) ? ColumnType.Real : ColumnType.Long;
        var step = $"summarize {number} = {aggregate} by {name} = {by}";
        _columns = [(name, _columns.First(column => column.Name == by).Type), (number, type)];
        return step;
    }

    private string Distinct()
    {
        var column = Column(IsOrderable);
        _columns = [_columns.First(each => each.Name == column)];
        return $"distinct {column}";
    }

    private string Join() => Columns(type => type == ColumnType.String).FirstOrDefault().Name is not { } key ? $"where {Condition(1)}"
        : $"join kind={Pick("inner", "leftouter")} ( exceptions | summarize {NewName()} = count() by {key} = operation_Id ) on {key}";

    private string Condition(int depth) => _random.Next(depth > 0 ? 10 : 7) switch
    {
        0 or 1 => $"{Value(ColumnType.String, depth - 1)}"
            + $" {Pick("==", "!=", "has", "contains", "startswith", "endswith", "=~", "!has", "has_cs")}"
            + $" {Literal(ColumnType.String)}",
        2 => $"{Value(ColumnType.Long, depth - 1)} {Pick("<", "<=", ">", ">=", "==", "!=")} {Value(ColumnType.Long, depth - 1)}",
        3 => $"{Value(ColumnType.DateTime, depth - 1)} between ( {Literal(ColumnType.DateTime)} .. {Pick("1h", "now()")} )",
        4 => $"{Value(ColumnType.String, depth - 1)} {Pick("in", "!in", "in~")} ( 'a' , 'b' )",
        5 => $"isnotempty( {Value(ColumnType.String, depth - 1)} )",
        6 => $"{Value(ColumnType.DateTime, depth - 1)} > ago( {Literal(ColumnType.TimeSpan)} )",
        7 => $"( {Condition(depth - 1)} ) or {Condition(depth - 1)}",
        8 => $"{Condition(depth - 1)} and {Condition(depth - 1)}",
        _ => $"not( {Condition(depth - 1)} )",
    };

    private string Value(ColumnType type, int depth) => depth <= 0 || _random.Next(3) == 0 ? Simple(type) : type switch
    {
        ColumnType.Long => Pick(
            $"{Value(type, depth - 1)} {Pick("+", "-", "*", "/", "%")} {Value(type, depth - 1)}",
            $"strlen( {Value(ColumnType.String, depth - 1)} )",
            $"toint( {Value(ColumnType.String, depth - 1)} )",
            $"bin( {Value(type, depth - 1)} , 5 )"),
        ColumnType.Real => Pick(
            $"{Value(type, depth - 1)} / {Value(ColumnType.Long, depth - 1)}",
            $"round( {Value(type, depth - 1)} , 1 )",
            $"todouble( {Value(ColumnType.String, depth - 1)} )"),
        ColumnType.String => Pick(
            $"strcat( {Value(type, depth - 1)} , {Value(ColumnType.Long, depth - 1)} )",
            $"tolower( {Value(type, depth - 1)} )",
            $"iff( {Condition(depth - 1)} , {Value(type, depth - 1)} , {Value(type, depth - 1)} )",
            $"substring( {Value(type, depth - 1)} , 1 )",
            $"tostring( {Value(ColumnType.DateTime, depth - 1)} )"),
        ColumnType.DateTime => Pick(
            $"bin( {Value(type, depth - 1)} , 5s )",
            $"{Value(type, depth - 1)} - {Literal(ColumnType.TimeSpan)}",
            $"todatetime( {Value(ColumnType.String, depth - 1)} )"),
        _ => Condition(depth - 1),
    };

    private string Simple(ColumnType type) =>
        Columns(each => each == type || (type == ColumnType.Long && each == ColumnType.Int)) is { Count: > 0 } columns
            && _random.Next(3) > 0
                ? Pick(columns).Name
                : Literal(type);

    private string Literal(ColumnType type) => type switch
    {
        ColumnType.Long => $"{_random.Next(100)}",
        ColumnType.Real => Pick("1.5", "0.25", "1e3"),
        ColumnType.String => Pick("'a'", "\"it's\"", "@'c:\\x'", "'é\\n'"),
        ColumnType.DateTime => Pick("datetime(2030-01-01)", "datetime(2030-01-01T12:00:00Z)", "now()"),
        ColumnType.TimeSpan => Pick("5s", "1.5h", "100ms", "1d"),
        _ => Pick("true", "false"),
    };

    private string NewName() => $"{Pick("value", "part", "n", "rate")}{++_names}";

    private ColumnType Type() => Pick(ColumnType.Long, ColumnType.Real, ColumnType.String, ColumnType.DateTime, ColumnType.Bool);

    private string Column(Func<ColumnType, bool> which) => Pick(Columns(which)).Name;

    private List<(string Name, ColumnType Type)> Columns(Func<ColumnType, bool> which) => [.. _columns.Where(column => which(column.Type))];

    private static bool IsOrderable(ColumnType type) => type != ColumnType.Dynamic;

    private T Pick<T>(params IReadOnlyList<T> choices) => choices[_random.Next(choices.Count)];
}
