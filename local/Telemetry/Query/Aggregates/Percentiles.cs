using System.Runtime.InteropServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>percentile and percentiles by nearest rank: the smallest value that at least p percent of the values don't
/// exceed. Exact, while Azure approximates and may interpolate.</summary>
internal sealed class Percentiles<T>(ColumnType type, IReadOnlyList<double> wanted, bool weighted, QueryContext context)
    : Aggregate
    where T : struct, IComparable<T>
{
    private readonly List<(List<T> Values, List<long> Weights)> _groups = [];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        AddGroups(count);
        context.Hold(groups.Length);
        var values = arguments[0].As<T>();
        var weights = weighted ? arguments[1].As<long>() : default;
        for (var i = 0; i < groups.Length; i++)
        {
            var weight = weighted ? weights[i] : 1;
            if (values.IsNull(i) || weight <= 0 || (weighted && weights.IsNull(i)))
                continue;
            var group = _groups[groups[i]];
            group.Values.Add(values[i]);
            group.Weights.Add(weight);
        }
    }

    public override Column[] Finish(int count)
    {
        AddGroups(count);
        var results = wanted.Select(_ => new T[count]).ToArray();
        var none = new bool[count];
        for (var group = 0; group < count; group++)
        {
            var values = CollectionsMarshal.AsSpan(_groups[group].Values);
            var weights = CollectionsMarshal.AsSpan(_groups[group].Weights);
            none[group] = values.IsEmpty;
            values.Sort(weights);
            for (var i = 0; i < wanted.Count && !values.IsEmpty; i++)
                results[i][group] = values[Rank(wanted[i], weights)];
        }
        return [.. results.Select(result => new Values<T>(type, result, none, count))];
    }

    private void AddGroups(int count)
    {
        while (_groups.Count < count)
            _groups.Add(([], []));
    }

    private static int Rank(double percent, ReadOnlySpan<long> weights)
    {
        var total = 0L;
        foreach (var weight in weights)
            total += weight;
        var wanted = (decimal)percent * total / 100; // As a decimal, to avoid rounding errors: 99.9 percent of 1,000 is 999.
        var rank = 0;
        for (var reached = weights[0]; reached < wanted && rank < weights.Length - 1; reached += weights[rank])
            rank++;
        return rank;
    }
}
