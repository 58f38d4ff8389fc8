namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// An executable script. Another process writes it: if this process opened it for writing, a child process that another
/// test starts at that moment would inherit the handle, and a file open for writing can't be executed.
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
