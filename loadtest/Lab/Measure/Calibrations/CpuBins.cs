using DroneDelivery.Model.Fit;

namespace DroneDelivery.Lab.Measure;

/// <summary>Requests and CPU time of each service in equal spans of time.</summary>
internal sealed class CpuBins
{
    // Of the samples of a process: a request that begins in one span of time and ends in the next should not matter.
    private const double SamplesPerBin = 5,
        MostBins = 40;

    // Of the median: a sample after a longer time says nothing about most of that time.
    private const double LongestSample = 2;

    private readonly IReadOnlyList<TelemetryItem> _items;
    private readonly List<(TelemetryItem Item, double Seconds)> _cpu;
    private readonly DateTimeOffset _start;
    private readonly int _bins;
    private readonly double _longest;

    public CpuBins(IReadOnlyList<TelemetryItem> items)
    {
        _items = items;
        _cpu = [.. WithSeconds(items.Where(item => item.Kind == ItemKind.ProcessCpu))];
        if (_cpu.Count == 0)
            return;
        var seconds = _cpu.Select(it => it.Seconds).Order().ToList();
        var median = seconds[seconds.Count / 2];
        _longest = LongestSample * median;
        _start = _cpu.Min(it => it.Item.Time.AddSeconds(-it.Seconds));
        var all = (_cpu.Max(it => it.Item.Time) - _start).TotalSeconds;
        BinSeconds = Math.Max(SamplesPerBin * median, all / MostBins);
        _bins = (int)(all / BinSeconds + 1e-9);
    }

    /// <summary>Whether anybody says how much CPU the services used.</summary>
    public bool IsKnown => _cpu.Count > 0;

    public double BinSeconds { get; }

    public double Seconds => _bins * BinSeconds;

    public CpuCost? CostOf(string service)
    {
        var bins = new Bin[_bins];
        foreach (
            var item in _items.Where(item =>
                item.Kind == ItemKind.Request && IsWork(item) && Roles.Is(item.Role, service)
            )
        )
        {
            if (BinOf(item.Time) is >= 0 and var bin && bin < _bins)
                bins[bin].Count += item.Count;
        }

        foreach (var (item, seconds) in _cpu.Where(it => Roles.Is(it.Item.Role, service)))
            Add(item, seconds, bins);
        // Requests of a time in which nobody counted CPU say nothing about what they cost.
        return
            CpuCost.Of(
                [.. bins.Where(bin => bin.IsKnown && !bin.HasGap).Select(bin => (bin.Count, bin.Cpu))],
                BinSeconds
            )
                is { } cost
            ? cost with
            {
                Count = bins.Sum(bin => bin.Count),
            }
            : null;
    }

    private void Add(TelemetryItem item, double seconds, Bin[] bins)
    {
        if (seconds > _longest)
        {
            var last = Math.Min(BinOf(item.Time), _bins - 1);
            for (var bin = BinOf(item.Time.AddSeconds(-seconds)); bin <= last; bin++)
                bins[bin].HasGap = true;
        }
        else if (BinOf(item.Time.AddSeconds(-seconds / 2)) is var bin && bin < _bins)
        {
            bins[bin].Cpu += item.Value * 10 * seconds;
            bins[bin].IsKnown = true;
        }
    }

    private int BinOf(DateTimeOffset time) => (int)Math.Floor((time - _start).TotalSeconds / BinSeconds);

    /// <summary>Servers of all nodes that were busy on average; null: nobody says.</summary>
    public (double Busy, int Nodes)? Nodes(int vCpu)
    {
        // A sample speaks of the time before it.
        var end = _start.AddSeconds(Seconds);
        var nodes = _items
            .Where(item => item.Kind == ItemKind.NodeCpu && item.Time > _start && item.Time <= end)
            .GroupBy(item => item.Instance)
            .Select(node => node.Average(item => item.Value))
            .ToList();
        return nodes.Count == 0 ? null : (nodes.Sum() / 100 * vCpu, nodes.Count);
    }

    private struct Bin
    {
        public double Count,
            Cpu;
        public bool IsKnown,
            HasGap;
    }

    // Whoever looks whether a service is alive does not ask it to work.
    private static bool IsWork(TelemetryItem item) =>
        !item.Name.Contains("/health", StringComparison.OrdinalIgnoreCase)
        && !item.Name.Contains("/$", StringComparison.Ordinal);

    /// <summary>Each with the time since the one before of the same process; the first says nothing.</summary>
    private static IEnumerable<(TelemetryItem, double)> WithSeconds(IEnumerable<TelemetryItem> items) =>
        items
            .GroupBy(item => (item.Role, item.Instance))
            .SelectMany(process =>
            {
                var ordered = process.OrderBy(item => item.Time).ToList();
                return ordered.Zip(ordered.Skip(1), (before, item) => (item, (item.Time - before.Time).TotalSeconds));
            })
            .Where(it => it.Item2 > 0);
}
