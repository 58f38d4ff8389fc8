namespace DroneDelivery.Lab.Cluster;

/// <summary>CPU time of the whole machine since it started, in ticks of its kernel; only differences mean something.</summary>
/// <param name="Busy">Of all cores. Time that a hypervisor took away counts as busy: the machine did not have it.</param>
internal sealed record MachineCpuReading(long Busy, long All)
{
    /// <summary>Ticks that a hypervisor took away, of all cores.</summary>
    public long Stolen { get; init; }

    /// <summary>Time since the machine started in which at least one runnable task waited for a CPU; <c>null</c> if the kernel doesn't report it.</summary>
    public TimeSpan? Pressure { get; init; }

    /// <summary>Share of the machine's CPU that was busy since an earlier reading: 0–1.</summary>
    public double Since(MachineCpuReading earlier) =>
        All > earlier.All ? (double)(Busy - earlier.Busy) / (All - earlier.All) : 0;

    /// <summary>The share of the machine's CPU that a hypervisor took away since an earlier reading, 0–1.</summary>
    public double StolenSince(MachineCpuReading earlier) =>
        All > earlier.All ? (double)(Stolen - earlier.Stolen) / (All - earlier.All) : 0;
}

/// <summary>
/// The real machine, all its processes together. When it is the bottleneck, a run has measured the machine and not the application.
/// Known on Linux, from <c>/proc/stat</c>, and on macOS; a limit that a container has is not seen.
/// </summary>
/// <param name="stat">The text of <c>/proc/stat</c>; null where there is none.</param>
/// <param name="otherwise">Reads it where there is no <c>/proc/stat</c>.</param>
/// <param name="pressure">The text of <c>/proc/pressure/cpu</c>; <c>null</c> if the kernel has none.</param>
internal sealed class MachineCpu(
    Func<string?> stat,
    Func<MachineCpuReading?>? otherwise = null,
    Func<string?>? pressure = null
)
{
    public static MachineCpu OfThisMachine { get; } =
        new(
            () => TextOf("/proc/stat"),
            () => MacCpu.OfThisMachine?.Read(),
            // Reading the file fails on kernels that have turned this accounting off.
            () => TextOf("/proc/pressure/cpu")
        );

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
        var times = columns.Take(8).Select(column => long.Parse(column)).ToList();
        var idle = times[3] + times.ElementAtOrDefault(4);
        return new(times.Sum() - idle, times.Sum())
        {
            Stolen = times.ElementAtOrDefault(7),
            Pressure = pressure?.Invoke() is { } waits ? ParsePressure(waits) : null,
        };
    }

    /// <summary>Parses the line <c>some avg10=… avg60=… avg300=… total=MICROSECONDS</c>.</summary>
    private static TimeSpan? ParsePressure(string text)
    {
        var total = text.Split('\n')[0].Split("total=");
        return total.Length == 2 && long.TryParse(total[1], out var microseconds)
            ? TimeSpan.FromMicroseconds(microseconds)
            : null;
    }

    private static string? TextOf(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
