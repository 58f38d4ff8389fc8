using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// Restores the default action of SIGINT, which child processes inherit. A shell without job control starts background
/// jobs with SIGINT ignored, so their child processes could not be interrupted.
/// </summary>
internal static class DefaultInterrupt
{
    private const int Sigint = 2;

    [ModuleInitializer]
    internal static void Restore()
    {
        if (!OperatingSystem.IsWindows())
            SetHandler(Sigint, handler: 0);
    }

    [DllImport("libc", EntryPoint = "signal")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint SetHandler(int signal, nint handler);
}
