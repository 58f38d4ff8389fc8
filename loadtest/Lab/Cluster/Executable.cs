namespace DroneDelivery.Lab.Cluster;

internal static class Executable
{
    /// <returns>Full path, or null when PATH has no such file.</returns>
    public static string? OnPath(string name) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, name))
            .FirstOrDefault(File.Exists);
}
