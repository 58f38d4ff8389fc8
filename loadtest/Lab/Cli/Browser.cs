using System.ComponentModel;
using System.Diagnostics;

namespace DroneDelivery.Lab.Cli;

internal static class Browser
{
    private static readonly string[] Display = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"];

    /// <param name="notice">Receives the address if no browser can be opened.</param>
    public static void Open(string what, TextWriter notice)
    {
        try
        {
            if (HasNoDisplay())
                throw new Win32Exception("this machine has no display");
            using var browser = Process.Start(new ProcessStartInfo(what) { UseShellExecute = true });
        }
        catch (Win32Exception exception)
        {
            notice.WriteLine($"No browser could be opened ({exception.Message}). Open it yourself: {what}");
        }
    }

    // xdg-open would print seven lines of errors, or open a text browser in the terminal.
    private static bool HasNoDisplay() =>
        OperatingSystem.IsLinux()
        && Display.All(name => string.IsNullOrEmpty(Environment.GetEnvironmentVariable(name)));
}
