using System.Net;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.Services.Tests.DeliveryJourney;

/// <summary>A part is away for ten times as long as a lock lasts, under load: it costs time, and no delivery.</summary>
[Trait("tier", "slow")]
public sealed class LongOutageTests
{
    private const int Half = 30;
    private static readonly TimeSpan Lock = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData("package", 1, 0, 1)]
    [InlineData("dronescheduler", 100, 100, 1)]
    [InlineData("delivery", 5, 20, 3)]
    public async Task A_service_that_is_away_is_hardly_asked_and_all_is_delivered_when_it_is_back(
        string service, int handlers, int prefetch, int replicas)
    {
        var settings = new Dictionary<string, string?>
        {
            ["Workflow:MaxConcurrentCalls"] = $"{handlers}",
            ["Workflow:PrefetchCount"] = $"{prefetch}",
            ["Resilience:ConcurrencyLimit"] = "104", // the most handlers, and four of the supervisor
        };
        await using var application = await ApplicationUnderTest.StartAsync(ShortLocks, settings);
        for (var others = replicas - 1; others > 0; others--)
            application.StartWorkflow();

        Uri[] locations;
        var first = application.RequestAsync(0, Half);
        await application.StopAsync(service);
        await using (var dead = await FakeReplica.StartAsync(application.AddressOf(service).Port))
        {
            dead.Answer = () => Task.FromResult(503);
            var second = application.RequestAsync(Half, 2 * Half);
            await HeldAsync(application, service);
            var (before, began) = (dead.Calls, TimeProvider.System.GetTimestamp());
            await Task.Delay(10 * Lock, Cancelled);

            await Eventually.TrueAsync(() => dead.Calls > before); // a machine that stood still asks later
            var probes = dead.Calls - before;
            var breaks = (int)(TimeProvider.System.GetElapsedTime(began) / TimeSpan.FromSeconds(0.5));
            Assert.InRange(probes, 1, replicas * (breaks + 2)); // one probe for each break, the first and the last may be cut
            await HeldAsync(application, service);
            locations = [.. await first, .. await second];
        }
        application.Start(service);

        await application.DeliveredAsync(locations);
    }

    [Fact]
    public async Task A_broker_that_is_away_loses_nothing_and_all_is_delivered_when_it_is_back()
    {
        await using var application = await ApplicationUnderTest.StartAsync(ShortLocks);

        var first = application.RequestAsync(0, Half);
        await Eventually.TrueAsync(() => application.Queue.Counts.Locked > 0);
        await application.Broker.CutAsync();
        var second = application.RequestAsync(Half, 2 * Half);
        await Task.Delay(10 * Lock, Cancelled);
        application.Broker.Mend();

        await application.DeliveredAsync([.. await first, .. await second]);
    }

    private static QueueOptions ShortLocks(QueueOptions queue) => queue with { LockDuration = Lock };

    /// <summary>Ready and live, and says for whom it waits.</summary>
    private static async Task HeldAsync(ApplicationUnderTest application, string why)
    {
        await Eventually.TrueAsync(async () => await application.Workflow.CheckAsync("backends") is ("Degraded", { } description)
            && description.StartsWith($"No message is received: {why}", StringComparison.Ordinal));
        Assert.Equal(HttpStatusCode.OK, await application.Workflow.StatusAsync("/health/live"));
    }
}
