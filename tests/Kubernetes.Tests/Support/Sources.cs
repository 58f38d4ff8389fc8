namespace DroneDelivery.Kubernetes.Tests.Support;

internal static class Sources
{
    public static string Read(string file) => File.ReadAllText(Path.Combine(Repository.Root, file));
}
