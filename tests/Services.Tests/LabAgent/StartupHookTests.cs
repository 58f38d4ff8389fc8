using System.Net;
using System.Text.Json;
using DroneDelivery.Package;

namespace DroneDelivery.Services.Tests.LabAgent;

public sealed class StartupHookTests
{
    [Fact]
    public async Task Out_of_range_options_end_the_process_and_are_all_named()
    {
        var line = await ServiceProcess.RejectionAsync(
            "DroneScheduler",
            new()
            {
                ["Emulation:Latency:Mu"] = "99",
                ["Emulation:Latency:Sigma"] = "-1",
                ["Emulation:CpuGate:Socket"] = "/nowhere/s",
                ["Emulation:CpuGate:CostMilliseconds"] = "0",
            },
            inLab: true
        );

        foreach (var option in (string[])["Mu", "Sigma", "Replica", "CostMilliseconds"])
            Assert.Contains($"'{option}'", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Service_outside_the_lab_has_no_lab_endpoints()
    {
        using var folder = new TemporaryFolder();
        await using var service = ServiceHost<PackageStore>.Start(
            folder.SqliteSettings.And("Emulation:Latency:Mu", "99")
        );

        Assert.Equal(HttpStatusCode.NotFound, await service.Http.StatusAsync("/$responses"));
    }

    [Fact]
    public async Task Requests_of_the_lab_itself_are_not_recorded()
    {
        using var folder = new TemporaryFolder();
        await using var collector = await FakeCollector.StartAsync();
        await using var service = ServiceProcess.Start(
            "Package",
            folder.SqliteSettings.And(collector.Settings),
            inLab: true
        );
        await service.ReadyAsync();

        Assert.Equal(HttpStatusCode.OK, await service.Http.StatusAsync("/$responses"));
        await service.Http.PutAsync("/api/packages/p1", Packages.Sample);
        await service.StopAsync();

        var request = Assert.Single(collector.Of("RequestData", "package"));
        Assert.Equal(
            "PUT /api/packages/{id}",
            request.GetProperty("data").GetProperty("baseData").GetProperty("name").GetString()
        );
    }

    [Fact]
    public async Task Only_API_responses_are_counted_with_their_causes()
    {
        await using var service = await LabService.StartAsync();
        string[] paths =
        [
            "/api/work",
            "/api/missing",
            "/api/away",
            "/api/away",
            "/api/failure",
            "/other",
            "/health/live",
            "/$responses",
        ];
        foreach (var path in paths)
            (await service.Client.SendAsync(HttpMethod.Get, path)).Dispose();

        var counts = await service.Client.GetAsync<JsonElement>("/$responses");

        Assert.Equal(
            (5, 3),
            (counts.GetProperty("responses").GetInt32(), counts.GetProperty("serverErrors").GetInt32())
        );
        var cause = Assert.Single(counts.GetProperty("causes").EnumerateObject());
        Assert.Equal(("urn:test:away", 2), (cause.Name, cause.Value.GetInt32()));
    }
}
