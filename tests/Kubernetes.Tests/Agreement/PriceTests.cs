namespace DroneDelivery.Kubernetes.Tests.Agreement;

public sealed class PriceTests
{
    [Fact]
    public async Task Priced_parts_are_those_of_infra()
    {
        var page = Read("docs/how-to/azure.md");
        var cluster = await BicepTemplate.PropertiesAsync("Microsoft.ContainerService/managedClusters");
        var system = cluster["agentPoolProfiles"]!.AsArray().Single(pool => $"{pool!["mode"]}" == "System")!;
        var size = $"{system["vmSize"]}".Replace("Standard_", "", StringComparison.Ordinal).Replace('_', ' ');
        Assert.Contains($"| {system["count"]} system nodes {size} |", page, StringComparison.Ordinal);

        var postgres = await BicepTemplate.PropertiesAsync("Microsoft.DBforPostgreSQL/flexibleServers");
        Assert.Contains(
            $"| PostgreSQL B2s, {postgres["storage"]!["storageSizeGB"]} GB |",
            page,
            StringComparison.Ordinal
        );
        var defaults = Read("infra/main.bicepparam");
        Assert.All(["'POSTGRES_SKU', 'Standard_B2s'", "'REDIS_SKU', 'Balanced_B1'"], it =>
            Assert.Contains(it, defaults, StringComparison.Ordinal)
        );
    }
}
