using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Tests.Processes;

namespace DroneDelivery.Lab.Tests.Runs;

[Collection(RealProcesses.Name)]
public sealed class BackEndsAreWarm
{
    [Fact]
    public async Task Each_back_end_that_was_started_has_worked_before_the_load()
    {
        await using var running = await RunningApplication.StartAsync("none", "workflow.replicas=0", "package.replicas=2");
        var warmUp = new WarmUp(running.Application, new QueueControl(running.Http, running.Plan.Broker), running.Http, TimeProvider.System);

        await warmUp.BackendsAsync(
            [(Service.Ingestion, 0), (Service.Package, 1), (Service.DroneScheduler, 0), (Service.Delivery, 0)], TestContext.Current.CancellationToken);

        Assert.Equal((0, 0), (await AnswersAsync(Service.Ingestion, 0), await AnswersAsync(Service.Package, 0)));
        Assert.Equal((80, 80, 80), (await AnswersAsync(Service.Package, 1), await AnswersAsync(Service.DroneScheduler, 0), await AnswersAsync(Service.Delivery, 0)));
        // What it did is what a delivery does.
        Assert.Equal("owner-1", await OwnerAsync(Service.Package, "api/packages/warm-up-1-0"));
        Assert.Equal("owner-1", await OwnerAsync(Service.DroneScheduler, "api/dronedeliveries/warm-up-0-79"));
        Assert.Equal("owner-1", await OwnerAsync(Service.Delivery, "api/deliveries/warm-up-0-79"));

        async Task<int> AnswersAsync(Service service, int replica) =>
            (await running.GetAsync(running.Plan.Url(service, replica), "$responses")).GetProperty("responses").GetInt32();

        async Task<string?> OwnerAsync(Service service, string path) =>
            (await running.GetAsync(running.Plan.Url(service, 0), path)).GetProperty("ownerId").GetString();
    }
}
