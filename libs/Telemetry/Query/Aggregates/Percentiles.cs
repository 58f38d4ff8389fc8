using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>
/// percentile and percentiles by nearest rank: the smallest value that at least p percent of the values do not exceed. Exact, and always a
/// value that occurred; Azure approximates and may interpolate.
/// </summary>
internal sealed class Percentiles<T>(ColumnType type, IReadOnlyList<double> wanted, QueryContext context) : Aggregate where T : struct, IComparable<T>
{
    private readonly List<(T[] Values, int[] Groups)> _parts = [];
    private int[] _counts = [];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        Grow(ref _counts, count);
        context.Hold(groups.Length);
        var column = arguments[0].As<T>();
        var (values, kept, n) = (new T[groups.Length], new int[groups.Length], 0);
        for (var i = 0; i < groups.Length; i++)
        {
            if (column.IsNull(i)) continue;
            (values[n], kept[n++]) = (column[i], groups[i]);
            _counts[groups[i]]++;
        }
        _parts.Add((values[..n], kept[..n]));
    }

    public override Column[] Finish(int count)
    {
        Grow(ref _counts, count);
        var (values, ends) = ByGroup();
        var results = wanted.Select(_ => new T[count]).ToArray();
        var none = Array.ConvertAll(_counts[..count], n => n == 0);
        for (var group = 0; group < count; group++)
        {
            var sorted = values.AsSpan(ends[group] - _counts[group], _counts[group]);
            sorted.Sort();
            for (var i = 0; i < wanted.Count && sorted.Length > 0; i++) results[i][group] = sorted[Rank(wanted[i], sorted.Length)];
        }
        return [.. results.Select(result => new Values<T>(type, result, none, count))];
    }

    private static int Rank(double percent, int count) => Math.Clamp((int)Math.Ceiling(percent / 100 * count) - 1, 0, count - 1);

    /// <summary>All values, group after group (counting sort), and where each group ends.</summary>
    private (T[] Values, int[] Ends) ByGroup()
    {
        var ends = new int[_counts.Length];
        var total = 0;
        for (var group = 0; group < ends.Length; group++)
        {
            ends[group] = total;
            total += _counts[group];
        }
        var values = new T[total];
        foreach (var (part, groups) in _parts)
            for (var i = 0; i < part.Length; i++) values[ends[groups[i]]++] = part[i];
        return (values, ends);
    }
}
