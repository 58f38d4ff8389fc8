using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>What tests/kusto reads: each file is made here, kept in the repository, and shown there to Azure's parser.</summary>
internal static class KustoFiles
{
    public static string Read(string name) => File.ReadAllText(PathOf(name));

    public static void Write(string name, string text) => File.WriteAllText(PathOf(name), text);

    private static string PathOf(string name) => Path.Combine(Repository.Root, "tests", "kusto", name);
}
