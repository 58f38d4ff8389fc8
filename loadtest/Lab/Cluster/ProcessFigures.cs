using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace DroneDelivery.Lab.Cluster;

/// <param name="Memory">Bytes in memory, those that it shares with others included.</param>
internal sealed record ProcessFigures(TimeSpan Cpu, long Memory)
{
    /// <returns>Null: it has ended.</returns>
    public static ProcessFigures? Read(int processId)
    {
        try
        {
            using var process = Process.GetProcessById(processId);
            return new(
                process.TotalProcessorTime,
                OperatingSystem.IsLinux() ? ResidentOnLinux(processId) : process.WorkingSet64
            );
        }
        catch (Exception exception)
            when (exception is ArgumentException or InvalidOperationException or Win32Exception or IOException)
        {
            return null;
        }
    }

    // One short file; the general way looks at every thread.
    private static long ResidentOnLinux(int processId) =>
        long.Parse(File.ReadAllText($"/proc/{processId}/statm").Split(' ')[1], CultureInfo.InvariantCulture)
        * Environment.SystemPageSize;
}
