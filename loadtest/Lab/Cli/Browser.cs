using System.ComponentModel;
using System.Diagnostics;

namespace DroneDelivery.Lab.Cli;

/// <summary>The browser of whoever sits at this machine.</summary>
internal static class Browser
{
    /// <param name="notice">Told where no browser can be opened: what is shown can be opened by hand. Null: that is a failure.</param>
    public static void Open(string what, TextWriter? notice = null)
    {
        try
        {
            using var browser = Process.Start(new ProcessStartInfo(what) { UseShellExecute = true });
        }
        catch (Win32Exception exception)
        {
            var why = $"No browser could be opened ({exception.Message}). Open it yourself: {what}";
            (notice ?? throw new LabException(why)).WriteLine(why);
        }
    }
}
