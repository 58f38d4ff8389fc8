using DroneDelivery.Lab;

namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary>No Bicep compiler is asked: what must stand in a template is looked for in its text.</summary>
public sealed class TheTemplatesSayWhatTheServicesNeed
{
    [Fact]
    public void Redis_refuses_what_it_has_no_memory_for_instead_of_dropping_live_deliveries() =>
        Assert.Contains("evictionPolicy: 'NoEviction'", Template("modules/redis.bicep"), StringComparison.Ordinal);

    private static string Template(string path) => File.ReadAllText(Path.Combine(Repository.Root, "infra", path));
}
