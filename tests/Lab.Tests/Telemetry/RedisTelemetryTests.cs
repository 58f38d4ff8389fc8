namespace DroneDelivery.Lab.Tests.Telemetry;

/// <summary>Redis is invisible, as to the article's team, until <c>telemetry.redis</c> is turned on.</summary>
[Trait("tier", "slow")]
public sealed class RedisTelemetryTests
{
    [Fact]
    public async Task Off_there_is_no_edge_to_Redis()
    {
        await using var observed = await ObservedApplication.StartAsync("telemetry.redis=off");
        await observed.SendAsync(3);
        await observed.StopAsync();

        Assert.DoesNotContain("delivery", observed.AskFile("application-map-edges", "cloud_RoleName"));
        Assert.Empty(observed.AskFile("redis-calls", "name"));
    }

    [Fact]
    public async Task On_the_map_gets_an_edge_from_Delivery_within_the_same_operation()
    {
        await using var observed = await ObservedApplication.StartAsync("telemetry.redis=on");
        await observed.SendAsync(3);
        await observed.StopAsync();

        var address = observed.Plan.RedisConnectionString;
        Assert.Equal(
            [$"delivery, Redis, {address}, EVALSHA add, 3, 0"],
            // GET and LRANGE are of those who ask how the delivery stands.
            observed.Ask("""
                dependencies
                | where type == 'Redis' and name != 'GET' and name != 'LRANGE'
                | summarize calls=count(), failed=countif(success == false) by cloud_RoleName, type, target, name
                """));
        Assert.Equal(
            ["PUT /api/deliveries/{id}, 3"],
            observed.Ask(
                "dependencies | where name == 'EVALSHA add' "
                    + "| join kind=inner (requests | project operation_Id, id, request = name) "
                    + "on operation_Id, $left.operation_ParentId == $right.id | summarize count() by request"));
    }

    [Fact]
    public async Task A_full_cache_shows_in_the_call_and_in_the_cause_of_the_5xx()
    {
        // An empty Redis takes more than 256 KiB, so every write of Delivery is refused: one attempt, one retry.
        await using var observed = await ObservedApplication.StartAsync(
            "telemetry.redis=on", "redis.maxMemory=256kb", "http.retryDelays=100ms", "http.retryJitter=0",
            "workflow.failurePolicy=DeadLetter", "workflow.holdDuringOutage=off", "workflow.supervisor=off", "http.breakerFailureRatio=0");
        await observed.PostAsync(5);
        await observed.UntilAsync("dependencies | where name has 'DeadLetter'", rows: 5);
        await observed.StopAsync();

        Assert.Equal(
            ["OOM, False, 10"], observed.Ask("dependencies | where name == 'EVALSHA add' | summarize count() by resultCode, success"));
        Assert.Equal(["10"], observed.AskFile("cache-full", "errors"));
        Assert.Equal(
            ["delivery, PUT /api/deliveries/{id}, 503, 10"],
            observed.Ask("requests | where toint(resultCode) >= 500 | summarize count() by cloud_RoleName, name, resultCode"));
    }
}
