using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>
/// percentile and percentiles by nearest rank: the smallest value that at least p percent of the values do not exceed. Exact, and always
/// a value that occurred; Azure approximates and may interpolate. With weights (percentilew, percentilesw) a value counts as often as its
/// weight says.
/// </summary>
/// <param name="weighted">Whether the second argument says how often a value counts.</param>
internal sealed class Percentiles<T>(ColumnType type, IReadOnlyList<double> wanted, bool weighted, QueryContext context)
    : Aggregate
    where T : struct, IComparable<T>
{
    private readonly List<(T[] Values, long[] Weights, int[] Groups)> _parts = [];
    private int[] _counts = [];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        Grow(ref _counts, count);
        context.Hold(groups.Length);
        var column = arguments[0].As<T>();
        var weight = weighted ? arguments[1].As<long>() : null;
        var (values, weights, kept, n) = (new T[groups.Length], new long[groups.Length], new int[groups.Length], 0);
        for (var i = 0; i < groups.Length; i++)
        {
            if (column.IsNull(i) || weight is not null && (weight.IsNull(i) || weight[i] <= 0))
                continue;
            (values[n], weights[n], kept[n++]) = (column[i], weight is null ? 1 : weight[i], groups[i]);
            _counts[groups[i]]++;
        }
        _parts.Add((values[..n], weights[..n], kept[..n]));
    }

    public override Column[] Finish(int count)
    {
        Grow(ref _counts, count);
        var (values, weights, ends) = ByGroup();
        var results = wanted.Select(_ => new T[count]).ToArray();
        var none = Array.ConvertAll(_counts[..count], n => n == 0);
        for (var group = 0; group < count; group++)
        {
            var sorted = values.AsSpan(ends[group] - _counts[group], _counts[group]);
            var counts = weights.AsSpan(ends[group] - _counts[group], _counts[group]);
            sorted.Sort(counts);
            for (var i = 0; i < wanted.Count && sorted.Length > 0; i++)
                results[i][group] = sorted[Rank(wanted[i], counts)];
        }
        return [.. results.Select(result => new Values<T>(type, result, none, count))];
    }

    private static int Rank(double percent, ReadOnlySpan<long> weights)
    {
        var total = 0L;
        foreach (var weight in weights)
            total += weight;
        var (wanted, rank) = ((decimal)percent * total / 100, 0); // 99.9 percent of 1,000 are 999, not a bit more
        for (var reached = weights[0]; reached < wanted && rank < weights.Length - 1; reached += weights[rank])
            rank++;
        return rank;
    }

    /// <summary>All values and their weights, group after group (counting sort), and where each group ends.</summary>
    private (T[] Values, long[] Weights, int[] Ends) ByGroup()
    {
        var ends = new int[_counts.Length];
        var total = 0;
        for (var group = 0; group < ends.Length; group++)
        {
            ends[group] = total;
            total += _counts[group];
        }
        var (values, weights) = (new T[total], new long[total]);
        foreach (var (part, counts, groups) in _parts)
        {
            for (var i = 0; i < part.Length; i++)
            {
                var place = ends[groups[i]]++;
                (values[place], weights[place]) = (part[i], counts[i]);
            }
        }

        return (values, weights, ends);
    }
}
