using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The running state of one aggregate over all groups.</summary>
internal abstract class Aggregate
{
    public abstract void Add(Column[] arguments, int[] groups, int count);

    /// <summary>Returns the result columns, with one row per group.</summary>
    public abstract Column[] Finish(int count);

    protected static void Grow<T>(ref T[] items, int count)
    {
        if (items.Length < count)
            Array.Resize(ref items, Math.Max(count, items.Length * 2));
    }

    /// <summary>Returns one value per group, by default the default value of the type.</summary>
    protected static Column[] Finished<T>(ColumnType type, T[] items, int count)
    {
        Grow(ref items, count);
        return [new Values<T>(type, items, null, count)];
    }
}

/// <summary>An aggregate with known argument types: its result types and its factory.</summary>
internal sealed record AggregateShape(IReadOnlyList<ColumnType> Results, Func<QueryContext, Aggregate> Create)
{
    public AggregateShape(ColumnType result, Func<Aggregate> create)
        : this([result], _ => create()) { }
}

/// <summary>Filters rows by the last argument, a Boolean.</summary>
internal sealed class WhereTrue(Aggregate inner) : Aggregate
{
    public override void Add(Column[] arguments, int[] groups, int count)
    {
        var rows = Selection.Of(arguments[^1], groups.Length);
        var others = arguments[..^1];
        if (rows is null)
        {
            inner.Add(others, groups, count);
        }
        else
        {
            inner.Add(
                Array.ConvertAll(others, column => column.Take(rows)),
                Array.ConvertAll(rows, row => groups[row]),
                count
            );
        }
    }

    public override Column[] Finish(int count) => inner.Finish(count);
}
