namespace DroneDelivery.Lab.Tests.Processes;

/// <summary>The Aspire dashboard beside the real application.</summary>
[Trait("tier", "slow")]
public sealed class AspireDashboardTests
{
    [Fact]
    public async Task Every_service_sends_to_it_and_who_has_no_key_reads_nothing()
    {
        Assert.SkipUnless(AspireDashboard.IsInstalled, "The packages of services/AppHost were not restored.");
        var ports = new Ports(FreePorts.Offset());
        using var folder = new OwnFolder();
        await using var dashboard = await AspireDashboard.StartAsync(ports, folder.Path, Cancel);
        var plan = new ApplicationPlan(folder.Path, ports, KnobSet.Empty, DeclaredEnvironment.None, Seed: 1) { Otlp = dashboard.Settings };
        await using var application = await Application.StartAsync(plan, new Progress<(int, int)>(), Cancel);
        using var http = Loopback.CreateClient();
        http.BaseAddress = dashboard.Address;
        Assert.Equal(HttpStatusCode.Unauthorized, (await http.GetAsync("api/telemetry/resources", Cancel)).StatusCode);
        http.DefaultRequestHeaders.Add("x-api-key", dashboard.Settings["OTEL_EXPORTER_OTLP_HEADERS"].Split('=')[1]);

        await UntilAsync(
            () => http.GetStringAsync("api/telemetry/resources", Cancel),
            known => Service.All.All(service => known.Contains($"\"{service.Name}\"", StringComparison.Ordinal)));
    }
}
