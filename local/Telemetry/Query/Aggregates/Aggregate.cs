using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The running state of one aggregate over all groups.</summary>
internal abstract class Aggregate
{
    /// <summary>Takes in a batch of rows.</summary>
    /// <param name="arguments">One column per argument.</param>
    /// <param name="groups">The group of each row.</param>
    /// <param name="count">Groups so far.</param>
    public abstract void Add(Column[] arguments, int[] groups, int count);

    /// <summary>The result columns, one row per group.</summary>
    public abstract Column[] Finish(int count);

    /// <summary>Makes room for all groups; what is new has the default value.</summary>
    protected static void Grow<T>(ref T[] items, int count)
    {
        if (items.Length < count) Array.Resize(ref items, Math.Max(count, items.Length * 2));
    }
}

/// <summary>An aggregate whose argument types are known: what it gives, and how to begin one.</summary>
internal sealed record AggregateShape(IReadOnlyList<ColumnType> Results, Func<QueryContext, Aggregate> Create)
{
    public AggregateShape(ColumnType result, Func<Aggregate> create) : this([result], _ => create()) { }
}

/// <summary>An aggregate function by name.</summary>
/// <param name="Prefix">Result columns are called prefix_argument.</param>
/// <param name="Arguments">How many, without a condition.</param>
/// <param name="ShapeFor">Null when it cannot take these types.</param>
internal sealed record AggregateFunction(string Name, string Prefix, int Arguments, Func<ColumnType[], AggregateShape?> ShapeFor);

internal static class AggregateTable
{
    private static readonly AggregateFunction[] Plain =
    [
        new("count", "count", 0, _ => new(ColumnType.Long, () => new CountRows())),
        new("sum", "sum", 1, types => Sums.Sum(types[0])),
        new("avg", "avg", 1, types => Sums.Average(types[0])),
        new("stdev", "stdev", 1, types => Sums.Deviation(types[0])),
        new("min", "min", 1, types => Extremes.Of(types[0], -1)),
        new("max", "max", 1, types => Extremes.Of(types[0], 1)),
        new("dcount", "dcount", 1,
            types => types[0] == ColumnType.Dynamic ? null : new(ColumnType.Long, () => new CountDistinct(types[0]))),
        new("make_list", "list", 1, types => new([ColumnType.Dynamic], context => new Lists(types[0], distinct: false, context))),
        new("make_set", "set", 1, types => new([ColumnType.Dynamic], context => new Lists(types[0], distinct: true, context))),
    ];

    private static readonly Dictionary<string, AggregateFunction> All =
        Plain.Concat(Plain.Select(WithCondition)).ToDictionary(function => function.Name);

    /// <summary>percentile, arg_max and their like give several columns: the binder makes them.</summary>
    public static readonly string[] WithOwnShape =
        ["percentile", "percentiles", "percentilew", "percentilesw", "arg_max", "arg_min", "take_any"];

    public static IEnumerable<string> Names => All.Keys.Concat(WithOwnShape);

    public static AggregateFunction? Find(string name) => All.GetValueOrDefault(name);

    /// <summary>countif, sumif, make_list_if, …: the same over the rows for which the last argument is true.</summary>
    private static AggregateFunction WithCondition(AggregateFunction plain) => new(
        plain.Name.Contains('_') ? plain.Name + "_if" : plain.Name + "if",
        plain.Name.Contains('_') ? plain.Prefix : plain.Prefix + "if",
        plain.Arguments + 1,
        types => types[^1] == ColumnType.Bool && plain.ShapeFor(types[..^1]) is { } shape
            ? shape with { Create = context => new WhereTrue(shape.Create(context)) }
            : null);
}

/// <summary>Passes on the rows for which the last argument is true.</summary>
internal sealed class WhereTrue(Aggregate inner) : Aggregate
{
    public override void Add(Column[] arguments, int[] groups, int count)
    {
        var rows = Selection.Of(arguments[^1], groups.Length);
        var others = arguments[..^1];
        if (rows is null) inner.Add(others, groups, count);
        else inner.Add(Array.ConvertAll(others, column => column.Take(rows)), Array.ConvertAll(rows, row => groups[row]), count);
    }

    public override Column[] Finish(int count) => inner.Finish(count);
}
