using System.Globalization;

namespace DroneDelivery.Lab.Tests.Telemetry;

/// <summary>The SDK's waits for a message, of the processor and of readiness, are operations of their own: they are left out.</summary>
[Trait("tier", "slow")]
public sealed class DeliveryTraceTests
{
    [Fact]
    public async Task From_the_client_to_the_settlement_in_one_operation_and_all_that_was_sent_is_there()
    {
        await using var observed = await ObservedApplication.StartAsync();
        await observed.SendAsync(1);
        await observed.Running.StopAsync();

        Assert.Equal(
            [
                "delivery, PUT /api/deliveries/{id}, 201, True",
                "dronescheduler, PUT /api/dronedeliveries/{id}, 201, True",
                "ingestion, POST /api/deliveryrequests, 202, True",
                "package, PUT /api/packages/{id}, 201, True",
                "workflow, ServiceBusProcessor.ProcessMessage, 0, True",
            ],
            observed.Ask(
                "requests | where name !startswith 'GET' | order by cloud_RoleName asc "
                    + "| project cloud_RoleName, name, resultCode, success"
            )
        );
        Assert.Equal(
            [
                "ingestion-0, servicebus, localhost/delivery-requests, Message",
                "ingestion-0, servicebus, localhost/delivery-requests, ServiceBusSender.Send",
                "workflow-0, Http, delivery, PUT /api/deliveries",
                "workflow-0, Http, dronescheduler, PUT /api/dronedeliveries",
                "workflow-0, Http, package, PUT /api/packages",
                "workflow-0, servicebus, localhost/delivery-requests, ServiceBusReceiver.Complete",
            ],
            observed.Ask(
                "dependencies | where name !in ('ServiceBusReceiver.Peek', 'ServiceBusReceiver.Receive') and name !startswith 'GET' "
                    + "and success | extend name = iff(type == 'Http', extract('^([^/]*(/[^/]*){0,2})', 1, name), name) "
                    + "| project row = strcat(cloud_RoleInstance, ', ', type, ', ', target, ', ', name) | order by row asc"
            )
        );
        // Redis is invisible, as to the article's team.
        Assert.DoesNotContain("delivery", observed.AskFile("application-map-edges", "cloud_RoleName"));
        Assert.Empty(observed.AskFile("redis-calls", "name"));
        Assert.InRange(
            double.Parse(Assert.Single(observed.AskFile("message-age", "max_age")), CultureInfo.InvariantCulture),
            0,
            60_000
        );
        Assert.Equal(
            ["1"],
            observed.Ask(
                """
                union (requests | where name !startswith 'GET'),
                    (dependencies | where name !in ('ServiceBusReceiver.Peek', 'ServiceBusReceiver.Receive') and name !startswith 'GET')
                | summarize dcount(operation_Id)
                """
            )
        );

        Assert.Equal(
            ["delivery-0", "dronescheduler-0", "ingestion-0", "package-0", "workflow-0"],
            observed.AskFile("telemetry-account", "cloud_RoleInstance")
        );
        Assert.All(observed.AskFile("telemetry-account", "unaccounted"), items => Assert.Equal("0", items));
        var counts = observed.Collector.Counts;
        Assert.Equal((counts.Kept, 0), (counts.Received, counts.UploadsRefused));
        Assert.Equal(
            [$"{counts.Received}"],
            observed.Ask(
                "customEvents | where name == 'TelemetrySent' | summarize sum(tolong(customMeasurements.sent))"
            )
        );
        Assert.Empty(counts.Refused);
    }

    [Fact]
    public async Task A_full_cache_shows_in_the_call_where_Redis_is_told_and_in_the_cause_of_the_5xx()
    {
        // An empty Redis takes more than 256 KiB, so every write of Delivery is refused: one attempt, one retry.
        await using var observed = await ObservedApplication.StartAsync(
            "telemetry.redis=on",
            "redis.maxMemory=256kb",
            "http.retryDelays=100ms",
            "http.retryJitter=0",
            "workflow.retryFor=0",
            "workflow.holdDuringOutage=off",
            "workflow.supervisor=off",
            "http.breakerFailureRatio=0"
        );
        await observed.Running.PostAsync(5);
        await observed.UntilAsync("dependencies | where name has 'DeadLetter'", rows: 5);
        Assert.Equal(
            (5, 0),
            await observed.Running.QueueAsync() is var queue ? (queue.DeadLetter, queue.Completed) : default
        );
        await observed.Running.StopAsync();

        Assert.Equal(
            ["OOM, False, 10"],
            observed.Ask(
                "dependencies | where name == 'EVALSHA add' "
                    + "| summarize count() by error = tostring(customDimensions['error.type']), success"
            )
        );
        Assert.Contains("delivery", observed.AskFile("application-map-edges", "cloud_RoleName"));
        Assert.Equal(["10"], observed.AskFile("cache-full", "errors"));
        Assert.Equal(
            ["delivery, PUT /api/deliveries/{id}, 503, 10"],
            observed.Ask(
                "requests | where toint(resultCode) >= 500 | summarize count() by cloud_RoleName, name, resultCode"
            )
        );
    }
}
