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
        if (items.Length < count)
            Array.Resize(ref items, Math.Max(count, items.Length * 2));
    }

    /// <summary>One value for each group; a group that never came has the default value.</summary>
    protected static Column[] Finished<T>(ColumnType type, T[] items, int count)
    {
        Grow(ref items, count);
        return [new Values<T>(type, items, null, count)];
    }
}

/// <summary>An aggregate whose argument types are known: what it gives, and how to begin one.</summary>
internal sealed record AggregateShape(IReadOnlyList<ColumnType> Results, Func<QueryContext, Aggregate> Create)
{
    public AggregateShape(ColumnType result, Func<Aggregate> create)
        : this([result], _ => create()) { }
}

/// <summary>Passes on the rows for which the last argument is true.</summary>
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
