using System.Runtime.InteropServices;

namespace DroneDelivery.Lab.Cluster;

/// <summary>POSIX signals, which .NET cannot send.</summary>
internal static class Signals
{
    private const int Sigterm = 15;

    // The numbers of macOS are those of BSD.
    private static readonly int Sigstop = OperatingSystem.IsMacOS() ? 17 : 19,
        Sigcont = OperatingSystem.IsMacOS() ? 19 : 18;

    /// <returns>False when there is no such process.</returns>
    public static bool Terminate(int processId) => Kill(processId, Sigterm) == 0;

    /// <summary>A process stands still until <see cref="Resume"/>.</summary>
    public static void Pause(int processId) => _ = Kill(processId, Sigstop);

    public static void Resume(int processId) => _ = Kill(processId, Sigcont);

    [DllImport("libc", EntryPoint = "kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Kill(int processId, int signal);
}
