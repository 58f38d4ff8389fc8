namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// A program of the test's own. Another process writes it: while this one had it open, a child that some other test starts at that moment
/// would have it open as well, and what somebody has open to write it cannot be run.
/// </summary>
internal static class Script
{
    public static void Write(string file, string text)
    {
        var source = file + ".text";
        File.WriteAllText(source, text);
        using var install = System.Diagnostics.Process.Start("install", ["-m", "755", source, file]);
        install.WaitForExit();
        Assert.Equal(0, install.ExitCode);
        File.Delete(source);
    }
}
