using System.ComponentModel;
using System.Diagnostics;

namespace DroneDelivery.Lab.Commands;

/// <summary>The browser of whoever sits at this machine.</summary>
internal static class Browser
{
    /// <summary>Opens a file or an address. Where no browser can be opened, says so: what is shown can be opened by hand.</summary>
    public static void TryOpen(string what, TextWriter notice)
    {
        try
        {
            using var browser = Process.Start(new ProcessStartInfo(what) { UseShellExecute = true });
        }
        catch (Win32Exception exception)
        {
            notice.WriteLine($"No browser could be opened ({exception.Message}). Open it yourself: {what}");
        }
    }
}
