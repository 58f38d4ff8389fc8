using System.ComponentModel;
using System.Diagnostics;

namespace DroneDelivery.Lab.Cli;

/// <summary>The browser of whoever sits at this machine.</summary>
internal static class Browser
{
    private static readonly string[] Display = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"];

    /// <param name="notice">Told where no browser can be opened: what is shown can be opened by hand.</param>
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

    // What Linux would start says so in seven lines, or opens a browser of text in the terminal.
    private static bool HasNoDisplay() =>
        OperatingSystem.IsLinux()
        && Display.All(name => string.IsNullOrEmpty(Environment.GetEnvironmentVariable(name)));
}
