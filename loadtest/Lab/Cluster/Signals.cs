using System.Runtime.InteropServices;

namespace DroneDelivery.Lab.Cluster;

/// <summary>POSIX signals, which .NET can't send.</summary>
internal static class Signals
{
    private const int Sigterm = 15;

    // macOS uses the BSD numbers.
    private static readonly int Sigstop = OperatingSystem.IsMacOS() ? 17 : 19,
        Sigcont = OperatingSystem.IsMacOS() ? 19 : 18;

    /// <returns><c>false</c> if the process doesn't exist.</returns>
    public static bool Terminate(int processId) => Kill(processId, Sigterm) == 0;

    public static void Pause(int processId) => _ = Kill(processId, Sigstop);

    public static void Resume(int processId) => _ = Kill(processId, Sigcont);

    [DllImport("libc", EntryPoint = "kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Kill(int processId, int signal);
}
