using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal abstract record AggregateFunction(string Name);

/// <summary>An aggregate with one value per group.</summary>
/// <param name="Prefix">The prefix of the result column, which is named prefix_argument.</param>
/// <param name="ShapeFor">Returns <c>null</c> for unsupported types.</param>
internal sealed record ValueAggregate(
    string Name,
    string Prefix,
    int Arguments,
    Func<ColumnType[], AggregateShape?> ShapeFor
) : AggregateFunction(Name);

/// <summary>An aggregate with several named columns.</summary>
/// <param name="IsValue"><c>true</c> if the aggregate has only one column, so that it can be part of an
/// expression.</param>
internal sealed record ColumnsAggregate(
    string Name,
    Func<Call, SummarizeBinder, AggregateColumns> Bind,
    bool IsValue = false
) : AggregateFunction(Name);

internal sealed record AggregateColumns(AggregateShape Shape, Scalar[] Arguments, IReadOnlyList<string?> Names);

internal static class AggregateTable
{
    private static readonly ValueAggregate[] Values =
    [
        new("count", "count", 0, _ => new(ColumnType.Long, () => new CountRows())),
        new("sum", "sum", 1, types => Folds.Sum(types[0])),
        new("avg", "avg", 1, types => Folds.Average(types[0])),
        new("stdev", "stdev", 1, types => Folds.Deviation(types[0])),
        new("min", "min", 1, types => Folds.Extreme(types[0], -1)),
        new("max", "max", 1, types => Folds.Extreme(types[0], 1)),
        new("dcount", "dcount", 1, types =>
            types[0] == ColumnType.Dynamic
                ? null
                : new([ColumnType.Long], context => new CountDistinct(types[0], context))
        ),
        new("make_list", "list", 1, types =>
            new([ColumnType.Dynamic], context => new Lists(types[0], distinct: false, context))
        ),
        new("make_set", "set", 1, types =>
            new([ColumnType.Dynamic], context => new Lists(types[0], distinct: true, context))
        ),
    ];

    private static readonly ColumnsAggregate[] Columns =
    [
        new(
            "percentile",
            (call, binder) => PercentileCall.Bind(call, binder, takesOne: true, isWeighted: false),
            IsValue: true
        ),
        new("percentiles", (call, binder) => PercentileCall.Bind(call, binder, takesOne: false, isWeighted: false)),
        new(
            "percentilew",
            (call, binder) => PercentileCall.Bind(call, binder, takesOne: true, isWeighted: true),
            IsValue: true
        ),
        new("percentilesw", (call, binder) => PercentileCall.Bind(call, binder, takesOne: false, isWeighted: true)),
        new("arg_max", (call, binder) => ChosenRowCall.Bind(call, binder, "max", sign: 1)),
        new("arg_min", (call, binder) => ChosenRowCall.Bind(call, binder, "min", sign: -1)),
        new("take_any", (call, binder) => ChosenRowCall.Bind(call, binder, "any", sign: 0)),
    ];

    private static readonly Dictionary<string, AggregateFunction> All = Values
        .Concat<AggregateFunction>(Values.Select(WithCondition))
        .Concat(Columns)
        .ToDictionary(function => function.Name);

    public static IEnumerable<string> Names => All.Keys;

    public static AggregateFunction? Find(string name) => All.GetValueOrDefault(name);

    private static ValueAggregate WithCondition(ValueAggregate plain) =>
        new(
            plain.Name.Contains('_') ? plain.Name + "_if" : plain.Name + "if",
            plain.Name.Contains('_') ? plain.Prefix : plain.Prefix + "if",
            plain.Arguments + 1,
            types =>
                types[^1] == ColumnType.Bool && plain.ShapeFor(types[..^1]) is { } shape
                    ? shape with
                    {
                        Create = context => new WhereTrue(shape.Create(context)),
                    }
                    : null
        );
}
