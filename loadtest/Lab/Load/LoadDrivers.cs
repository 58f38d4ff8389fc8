namespace DroneDelivery.Lab.Load;

/// <summary>The load generators by the names that the command line gives them.</summary>
internal static class LoadDrivers
{
    public const string Automatic = "auto",
        K6 = "k6",
        Own = "own",
        Job = "job";

    public static ILoadDriver Choose(string name, string folder, HttpClient http, TimeProvider clock)
    {
        folder = Directory.CreateDirectory(folder).FullName;
        if (name == Job)
            return K6Driver.InCluster(folder);
        var k6 = name == Own ? null : K6Driver.Find(folder);
        if (name == K6 && k6 is null)
        {
            throw new LabException(
                "k6 is not on PATH: install it from https://grafana.com/docs/k6/latest/set-up/install-k6/, or use --driver own."
            );
        }

        return k6 is null ? new OwnDriver(http, clock) : k6;
    }
}
