using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Load;

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
            return new K6Driver(Job, Path.Combine(Repository.Root, "k8s", "load-test"), folder);
        return name == Own || (name != K6 && Executable.OnPath("k6") is null)
            ? new OwnDriver(http, clock)
            : new K6Driver(K6, K6Driver.RequireExecutable(), folder);
    }
}
