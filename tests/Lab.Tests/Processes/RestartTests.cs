using System.Diagnostics;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Tests.Processes;

[Collection(RealProcesses.Name)]
public sealed class RestartTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_replica_works_on_its_node_again()
    {
        await using var running = await RunningApplication.StartAsync("azure-2020", "workflow.replicas=0");
        var first = running.Application[Service.Delivery, 0];
        using (var delivery = Process.GetProcessById(first.Id))
            delivery.Kill();
        await first.Ended;

        await running.Application.RestartAsync("delivery-0", Cancel);

        var nodes = running.Application.Nodes!;
        var before = nodes.ReadLateness().Answers;
        await new BackendCalls(running.Http).PutAsync(Service.Delivery, running.Plan.Url(Service.Delivery, 0), "again", Cancel);
        Assert.True(nodes.ReadLateness().Answers > before, "the request took nothing from any node");
    }
}
