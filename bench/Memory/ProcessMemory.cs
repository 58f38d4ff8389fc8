using System.Globalization;

namespace DroneDelivery.Bench.Memory;

/// <summary>The memory of a process in bytes, from /proc/PID/smaps_rollup (Linux only).</summary>
/// <param name="Resident">The resident set size (RSS).</param>
/// <param name="Proportional">The proportional set size (PSS): a page shared by N processes counts 1/N.</param>
internal readonly record struct ProcessMemory(long Resident, long Proportional)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(2);

    public static ProcessMemory Of(int id)
    {
        var lines = File.ReadAllLines($"/proc/{id}/smaps_rollup");
        return new ProcessMemory(Kilobytes(lines, "Rss:") * 1024, Kilobytes(lines, "Pss:") * 1024);
    }

    /// <summary>Waits until two readings differ by less than 1 %, or for ten readings.</summary>
    public static async Task<ProcessMemory> StableOf(int id)
    {
        var last = Of(id);
        for (var looks = 0; looks < 10; looks++)
        {
            await Task.Delay(Pause);
            var now = Of(id);
            if (Math.Abs(now.Resident - last.Resident) * 100 <= last.Resident)
                return now;
            last = now;
        }
        return last;
    }

    public override string ToString() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{Resident / 1e6:N1} MB resident ({Proportional / 1e6:N1} MB proportional)"
        );

    private static long Kilobytes(string[] lines, string name)
    {
        var line = lines.Single(line => line.StartsWith(name, StringComparison.Ordinal));
        return long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture);
    }
}
