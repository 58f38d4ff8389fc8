using System.Globalization;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Telemetry;

/// <summary>
/// Excludes the SDK's waits for messages in the processor and in readiness checks, which are separate operations.
/// </summary>
[Collection<ObservedRun>]
[Trait("tier", "slow")]
public sealed class DeliveryTraceTests(ObservedRun run)
{
    private const string Requests = "requests | where timestamp between (start .. end) and name !startswith 'GET'";

    private const string Calls =
        "dependencies | where timestamp between (start .. end) and name !startswith 'GET' "
        + "and name !in ('ServiceBusReceiver.Peek', 'ServiceBusReceiver.Receive')";

    [Fact]
    public void Each_service_handles_one_request_per_delivery() =>
        Assert.Equal(
            [
                "delivery, PUT /api/deliveries/{id}, 201, True",
                "dronescheduler, PUT /api/dronedeliveries/{id}, 201, True",
                "ingestion, POST /api/deliveryrequests, 202, True",
                "package, PUT /api/packages/{id}, 201, True",
                "workflow, ServiceBusProcessor.ProcessMessage, 0, True",
            ],
            run.Ask(
                $"{Requests} | order by cloud_RoleName asc | project cloud_RoleName, name, resultCode, success",
                run.Delivery
            )
        );

    [Fact]
    public void Calls_of_a_delivery_name_their_targets() =>
        Assert.Equal(
            [
                "ingestion-0, servicebus, localhost/delivery-requests, Message",
                "ingestion-0, servicebus, localhost/delivery-requests, ServiceBusSender.Send",
                "workflow-0, Http, delivery, PUT /api/deliveries",
                "workflow-0, Http, dronescheduler, PUT /api/dronedeliveries",
                "workflow-0, Http, package, PUT /api/packages",
                "workflow-0, servicebus, localhost/delivery-requests, ServiceBusReceiver.Complete",
            ],
            run.Ask(
                $"{Calls} and success | extend name = iff(type == 'Http', extract('^([^/]*(/[^/]*){{0,2}})', 1, name), name) "
                    + "| project row = strcat(cloud_RoleInstance, ', ', type, ', ', target, ', ', name) | order by row asc",
                run.Delivery
            )
        );

    [Fact]
    public void Delivery_is_one_operation_from_client_to_settlement()
    {
        Assert.Equal(["1"], run.Ask($"union ({Requests}), ({Calls}) | summarize dcount(operation_Id)", run.Delivery));
        Assert.InRange(
            double.Parse(
                Assert.Single(run.AskFile("message-age", "max_age", run.Delivery)),
                CultureInfo.InvariantCulture
            ),
            0,
            60_000
        );
    }

    /// <summary>The article's team did not see it either.</summary>
    [Fact]
    public void Redis_is_invisible_by_default()
    {
        Assert.DoesNotContain("delivery", run.AskFile("application-map-edges", "cloud_RoleName", run.Delivery));
        Assert.Empty(run.AskFile("redis-calls", "name", run.Delivery));
    }

    [Fact]
    public void All_sent_telemetry_arrives()
    {
        var account = run.Telemetry.AskAll(
            QueryFile.Read("telemetry-account"),
            DateTimeOffset.MaxValue,
            cancellationToken: Cancel
        );
        var sent = run.Telemetry.AskAll(
            KqlQuery.Parse(
                "customEvents | where name == 'TelemetrySent' | summarize sum(tolong(customMeasurements.sent))"
            ),
            DateTimeOffset.MaxValue,
            cancellationToken: Cancel
        );

        Assert.Equal(
            ["delivery-0", "dronescheduler-0", "ingestion-0", "package-0", "workflow-0"],
            account.Column("cloud_RoleInstance")
        );
        Assert.All(account.Column("unaccounted"), items => Assert.Equal(0L, items));
        Assert.Equal((run.Counts.Kept, 0), (run.Counts.Received, run.Counts.UploadsRefused));
        Assert.Equal(run.Counts.Received, (long)sent[0, 0]!);
        Assert.Empty(run.Counts.Refused);
    }

    [Fact]
    public void Full_Redis_is_visible_in_its_calls_and_causes()
    {
        Assert.Equal(
            (ObservedRun.WithFullRedis, 0),
            (run.QueueWithFullRedis.DeadLetter, run.QueueWithFullRedis.Completed)
        );
        Assert.Equal(
            ["OOM, False, 10"],
            run.Ask(
                "dependencies | where timestamp between (start .. end) and name == 'EVALSHA add' "
                    + "| summarize count() by error = tostring(customDimensions['error.type']), success",
                run.Full
            )
        );
        Assert.Contains("delivery", run.AskFile("application-map-edges", "cloud_RoleName", run.Full));
        Assert.Equal(["10"], run.AskFile("cache-full", "errors", run.Full));
        Assert.Equal(
            ["delivery, PUT /api/deliveries/{id}, 503, 10"],
            run.Ask(
                "requests | where timestamp between (start .. end) and toint(resultCode) >= 500 "
                    + "| summarize count() by cloud_RoleName, name, resultCode",
                run.Full
            )
        );
    }
}
