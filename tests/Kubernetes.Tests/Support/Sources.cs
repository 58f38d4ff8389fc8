namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>Files of the repository.</summary>
internal static class Sources
{
    public static string Read(string file) => File.ReadAllText(Path.Combine(Repository.Root, file));
}
