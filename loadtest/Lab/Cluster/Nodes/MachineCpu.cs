namespace DroneDelivery.Lab.Cluster;

/// <summary>CPU time of the whole machine in kernel ticks. Only differences are meaningful.</summary>
/// <param name="Busy">Includes time stolen by a hypervisor.</param>
internal sealed record MachineCpuReading(long Busy, long All)
{
    public long Stolen { get; init; }

    /// <summary>Time in which at least one runnable task waited for a CPU; <c>null</c> if unknown.</summary>
    public TimeSpan? Pressure { get; init; }

    /// <summary>Returns the CPU utilization since an earlier reading, 0–1.</summary>
    public double Since(MachineCpuReading earlier) =>
        All > earlier.All ? (double)(Busy - earlier.Busy) / (All - earlier.All) : 0;

    /// <summary>Returns the share of CPU time stolen by a hypervisor since an earlier reading, 0–1.</summary>
    public double StolenSince(MachineCpuReading earlier) =>
        All > earlier.All ? (double)(Stolen - earlier.Stolen) / (All - earlier.All) : 0;
}

/// <summary>
/// The CPU of the real machine. If it is the bottleneck, a run measures the machine instead of the application. Ignores the limits of
/// containers.
/// </summary>
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
            // Reading the file fails on kernels with this accounting turned off.
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
        // user, nice, system, idle, iowait, irq, softirq, steal. The guest columns are included in the first two.
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
