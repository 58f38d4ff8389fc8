namespace DroneDelivery.Testing;

public static class Repository
{
    private static readonly string[] Folders = ["services", "libs", "local", "loadtest", "samples", "tests", "bench"];

    public static string Root { get; } = FindRoot();

    public static IEnumerable<(string Path, string Text)> Code() =>
        from folder in Folders
        from file in Directory.EnumerateFiles(Path.Combine(Root, folder), "*.cs", SearchOption.AllDirectories)
        select (Path.GetRelativePath(Root, file), File.ReadAllText(file));

    private static string FindRoot()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "DroneDelivery.slnx")))
        {
            folder = Path.GetDirectoryName(folder)
                ?? throw new InvalidOperationException("DroneDelivery.slnx was not found above the test's folder.");
        }
        return folder;
    }
}
