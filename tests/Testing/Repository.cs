namespace DroneDelivery.Testing;

/// <summary>The sources that tests read.</summary>
public static class Repository
{
    /// <summary>The folder of the solution.</summary>
    public static string Root { get; } = FindRoot();

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
