using System.ComponentModel;
using System.Diagnostics;

namespace DroneDelivery.Lab.Cli;

/// <summary>The browser of whoever sits at this machine.</summary>
internal static class Browser
{
    public static void Open(string what)
    {
        try
        {
            using var browser = Process.Start(new ProcessStartInfo(what) { UseShellExecute = true });
        }
        catch (Win32Exception exception)
        {
            throw new LabException($"No browser could be opened ({exception.Message}). Open it yourself: {what}");
        }
    }

    /// <summary>Where no browser can be opened, says so: what is shown can be opened by hand.</summary>
    public static void TryOpen(string what, TextWriter notice)
    {
        try
        {
            Open(what);
        }
        catch (LabException exception)
        {
            notice.WriteLine(exception.Message);
        }
    }
}
