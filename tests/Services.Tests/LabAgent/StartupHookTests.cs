using System.Net;
using System.Text.Json;

namespace DroneDelivery.Services.Tests.LabAgent;

/// <summary>The lab is added to the process of a service from outside.</summary>
public sealed class StartupHookTests
{
    [Theory]
    [InlineData("DroneScheduler", "Emulation:Latency:Mu", "99", "Emulation:Latency:Mu")]
    [InlineData("DroneScheduler", "Emulation:Latency:Sigma", "-1", "Emulation:Latency:Sigma")]
    [InlineData("DroneScheduler", "Emulation:CpuGate:Socket", "/nowhere/s", "Emulation:CpuGate:Replica")]
    [InlineData("Workflow", "Emulation:CpuGate:CostMilliseconds", "0", "Emulation:CpuGate:CostMilliseconds")]
    public async Task An_option_out_of_range_ends_the_process_and_is_named(string service, string option, string value, string named) =>
        Assert.Contains(
            named, await ServiceProcess.RefusalAsync(service, new() { [option] = value }, inLab: true), StringComparison.Ordinal);

    [Fact]
    public async Task A_service_in_the_lab_counts_its_answers()
    {
        using var folder = new TemporaryFolder();
        await using var process = ServiceProcess.Start("Package", folder.SqliteSettings, inLab: true);
        await process.ReadyAsync();
        (await process.Http.SendAsync(HttpMethod.Get, "/api/packages/p1")).Dispose();

        var counts = await process.Http.GetAsync<JsonElement>("/$responses");

        Assert.Equal(1, counts.GetProperty("responses").GetInt32());
    }

    [Fact]
    public async Task A_service_outside_of_the_lab_knows_nothing_of_it()
    {
        using var folder = new TemporaryFolder();
        await using var process = ServiceProcess.Start("Package", folder.SqliteSettings.And("Emulation:Latency:Mu", "99"));
        await process.ReadyAsync();

        Assert.Equal(HttpStatusCode.NotFound, await process.Http.StatusAsync("/$responses"));
    }
}
