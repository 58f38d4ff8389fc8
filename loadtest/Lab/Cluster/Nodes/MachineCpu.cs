using System.Globalization;

namespace DroneDelivery.Lab.Cluster;

/// <summary>CPU time of the whole machine since it started, in ticks of its kernel; only differences mean something.</summary>
/// <param name="Busy">Of all cores. Time that a hypervisor took away counts as busy: the machine did not have it.</param>
internal sealed record MachineCpuReading(long Busy, long All)
{
    /// <summary>Share of the machine's CPU that was busy since an earlier reading: 0–1.</summary>
    public double Since(MachineCpuReading earlier) =>
        All > earlier.All ? (double)(Busy - earlier.Busy) / (All - earlier.All) : 0;
}

/// <summary>
/// The real machine, all its processes together. When it is the bottleneck, a run has measured the machine and not the application.
/// Known on Linux, from <c>/proc/stat</c>, and on macOS; a limit that a container has is not seen.
/// </summary>
/// <param name="stat">The text of <c>/proc/stat</c>; null where there is none.</param>
/// <param name="otherwise">Reads it where there is no <c>/proc/stat</c>.</param>
internal sealed class MachineCpu(Func<string?> stat, Func<MachineCpuReading?>? otherwise = null)
{
    /// <summary>Mean share of the machine's CPU under load, above which a run is void.</summary>
    public const double Limit = 0.85;

    private const string Path = "/proc/stat";

    public static MachineCpu OfThisMachine { get; } =
        new(() => File.Exists(Path) ? File.ReadAllText(Path) : null, () => MacCpu.OfThisMachine?.Read());

    public MachineCpuReading? Read()
    {
        if (stat() is not { } text)
            return otherwise?.Invoke();
        if (
            text.Split('\n')[0].Split(' ', StringSplitOptions.RemoveEmptyEntries) is not ["cpu", .. var columns]
            || columns.Length < 4
        )
        {
            return null;
        }
        // user, nice, system, idle, iowait, irq, softirq, steal. What follows, guests, is in the first two already.
        var times = columns.Take(8).Select(column => long.Parse(column, CultureInfo.InvariantCulture)).ToList();
        var idle = times[3] + times.ElementAtOrDefault(4);
        return new(times.Sum() - idle, times.Sum());
    }

    /// <summary>Why a run is void; null when it is not, or when nothing is known.</summary>
    public static string? WhyVoid(double? mean) =>
        mean > Limit
            ? $"The machine itself was the limit: its CPU was busy {mean:P0} of the load, more than {Limit:P0}. "
                + "Close other programs, or use a machine with more cores."
            : null;
}
