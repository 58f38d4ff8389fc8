using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>dcount, exact. Null isn't counted.</summary>
internal sealed class CountDistinct(ColumnType type, QueryContext context) : Aggregate
{
    private readonly ValueIndex _values = ValueIndex.For(type);
    private readonly HashSet<long> _seen = [];
    private long[] _counts = [];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        Grow(ref _counts, count);
        var numbers = _values.Number(arguments[0], groups.Length, add: true);
        var before = _seen.Count;
        for (var i = 0; i < groups.Length; i++)
        {
            if (!arguments[0].IsNull(i) && _seen.Add(KeyIndex.Pair(groups[i], numbers[i])))
                _counts[groups[i]]++;
        }
        context.Hold(_seen.Count - before);
    }

    public override Column[] Finish(int count) => Finished(ColumnType.Long, _counts, count);
}
