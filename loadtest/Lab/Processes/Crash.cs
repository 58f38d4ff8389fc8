namespace DroneDelivery.Lab.Processes;

/// <summary>A process of the application ended although nobody had asked it to.</summary>
internal sealed class CrashException(string name, int exitCode, string log)
    : LabException($"{name} ended by itself with exit code {exitCode}. Its log, {log}, ends with:{Environment.NewLine}{LastLines(log, 12)}")
{
    public string Process { get; } = name;

    /// <summary>Of the process; that of the lab is another.</summary>
    public int Exit { get; } = exitCode;

    private static string LastLines(string log, int count) =>
        File.Exists(log) ? string.Join(Environment.NewLine, File.ReadLines(log).TakeLast(count).Select(line => "  " + line)) : "  (no log)";
}
