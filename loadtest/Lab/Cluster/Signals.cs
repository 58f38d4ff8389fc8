using System.Runtime.InteropServices;

namespace DroneDelivery.Lab.Cluster;

/// <summary>POSIX signals, which .NET cannot send.</summary>
internal static class Signals
{
    private const int Sigterm = 15;

    /// <summary>Asks a process to stop.</summary>
    /// <returns>False when there is no such process.</returns>
    public static bool Terminate(int processId) => Kill(processId, Sigterm) == 0;

    [DllImport("libc", EntryPoint = "kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Kill(int processId, int signal);
}
