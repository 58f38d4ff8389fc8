namespace DroneDelivery.Lab.Tests.Telemetry;

/// <summary>
/// Redis is invisible (DeliveryTraceTests) until <c>telemetry.redis</c> is turned on. Its memory, the retries and the failure policy, knobs
/// as well, decide what becomes of a full cache.
/// </summary>
[Trait("tier", "slow")]
public sealed class RedisTelemetryTests
{
    [Fact]
    public async Task A_full_cache_shows_in_the_call_and_in_the_cause_of_the_5xx()
    {
        // An empty Redis takes more than 256 KiB, so every write of Delivery is refused: one attempt, one retry.
        await using var observed = await ObservedApplication.StartAsync(
            "telemetry.redis=on", "redis.maxMemory=256kb", "http.retryDelays=100ms", "http.retryJitter=0",
            "workflow.failurePolicy=DeadLetter", "workflow.holdDuringOutage=off", "workflow.supervisor=off", "http.breakerFailureRatio=0");
        await observed.Running.PostAsync(5);
        await observed.UntilAsync("dependencies | where name has 'DeadLetter'", rows: 5);
        Assert.Equal((5, 0), await observed.Running.QueueAsync() is var queue ? (queue.DeadLetter, queue.Completed) : default);
        await observed.Running.StopAsync();

        Assert.Equal(
            ["OOM, False, 10"], observed.Ask("dependencies | where name == 'EVALSHA add' | summarize count() by resultCode, success"));
        Assert.Contains("delivery", observed.AskFile("application-map-edges", "cloud_RoleName"));
        Assert.Equal(["10"], observed.AskFile("cache-full", "errors"));
        Assert.Equal(
            ["delivery, PUT /api/deliveries/{id}, 503, 10"],
            observed.Ask("requests | where toint(resultCode) >= 500 | summarize count() by cloud_RoleName, name, resultCode"));
    }
}
