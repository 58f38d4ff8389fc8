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
        var first = RequestAsync(application, 0);
        await application.StopAsync(service);
        await using (var dead = await FakeReplica.StartAsync(application.AddressOf(service).Port))
        {
            dead.Answer = () => Task.FromResult(503);
            var second = RequestAsync(application, Half);
            await HeldAsync(application, service);
            var (before, began) = (dead.Calls, TimeProvider.System.GetTimestamp());
            await Task.Delay(10 * Lock, TestContext.Current.CancellationToken);

            await Eventually.TrueAsync(() => dead.Calls > before); // a machine that stood still asks later
            var probes = dead.Calls - before;
            var breaks = (int)(TimeProvider.System.GetElapsedTime(began) / TimeSpan.FromSeconds(0.5));
            Assert.InRange(probes, 1, replicas * (breaks + 2)); // one probe for each break, the first and the last may be cut
            await HeldAsync(application, service);
            locations = [.. await first, .. await second];
        }
        application.Start(service);

        await AssertDeliveredAsync(application, locations);
    }

    [Fact]
    public async Task A_broker_that_is_away_loses_nothing_and_all_is_delivered_when_it_is_back()
    {
        await using var application = await ApplicationUnderTest.StartAsync(ShortLocks);

        var first = RequestAsync(application, 0);
        await Eventually.TrueAsync(() => application.Queue.Counts.Locked > 0);
        await application.Broker.CutAsync();
        var second = RequestAsync(application, Half);
        await Task.Delay(10 * Lock, TestContext.Current.CancellationToken);
        application.Broker.Mend();

        await AssertDeliveredAsync(application, [.. await first, .. await second]);
    }

    private static QueueOptions ShortLocks(QueueOptions queue) => queue with { LockDuration = Lock };

    private static Task<Uri[]> RequestAsync(ApplicationUnderTest application, int from) =>
        Task.WhenAll(Enumerable.Range(from, Half).Select(i => application.RequestAsync(SampleRequests.Delivery($"order-{i}"))));

    /// <summary>Ready and live, and says for whom it waits.</summary>
    private static async Task HeldAsync(ApplicationUnderTest application, string why)
    {
        await Eventually.TrueAsync(async () => await application.Workflow.CheckAsync("backends") is ("Degraded", { } description)
            && description.StartsWith($"No message is received: {why}", StringComparison.Ordinal));
        using var live = await application.Workflow.SendAsync(HttpMethod.Get, "/health/live");
        live.EnsureSuccessStatusCode();
    }

    private static async Task AssertDeliveredAsync(ApplicationUnderTest application, Uri[] locations)
    {
        foreach (var location in locations)
            await application.FollowAsync(location);
        await Eventually.TrueAsync(() => application.Queue.Counts is { Active: 0, Locked: 0, Scheduled: 0 });
        Assert.Equal(2 * Half, locations.Length);
        Assert.Equal(0, application.Queue.Counts.DeadLettered);
    }
}
