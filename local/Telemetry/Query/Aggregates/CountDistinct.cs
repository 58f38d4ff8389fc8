using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>dcount, exact. Null counts for nothing.</summary>
internal sealed class CountDistinct(ColumnType type, QueryContext context) : Aggregate
{
    private readonly ValueIndex _values = ValueIndex.For(type);
    private readonly HashSet<long> _seen = [];
    private long[] _counts = [];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        Grow(ref _counts, count);
        var numbers = new int[groups.Length];
        _values.Number(arguments[0], numbers, add: true);
        var (last, before) = (-1L, _seen.Count);
        for (var i = 0; i < groups.Length; i++)
        {
            var pair = ((long)groups[i] << 32) | (uint)numbers[i];
            if (pair == last || arguments[0].IsNull(i))
                continue;
            last = pair;
            if (_seen.Add(KeyIndex.Mixed(pair)))
                _counts[groups[i]]++;
        }
        context.Hold(_seen.Count - before);
    }

    public override Column[] Finish(int count) => Finished(ColumnType.Long, _counts, count);
}
