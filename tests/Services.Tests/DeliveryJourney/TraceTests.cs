using static DroneDelivery.Services.Tests.Support.FakeCollector;

namespace DroneDelivery.Services.Tests.DeliveryJourney;

/// <summary>What a collector sees of one delivery. Processes of their own: Application Insights listens to all of its process.</summary>
public sealed class TraceTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)] // where the Service Bus client's activities have the names of OpenTelemetry
    public async Task One_operation_goes_from_the_request_through_the_queue_to_the_three_calls_and_names_the_delivery(bool alsoOtlp)
    {
        await using var receiver = await OtlpReceiver.StartAsync();
        await using var collector = await FakeCollector.StartAsync();
        await using var backends = await FakeBackends.StartAsync();
        await using var queue = await QueueUnderTest.StartAsync();
        var settings = queue.Settings.And(backends.Settings).And(collector.Settings).And(alsoOtlp ? receiver.Settings : []).And(new()
        {
            ["Resilience:AttemptTimeout"] = "00:01:00", // a busy machine is no outage
            ["ServiceBus:SendTimeout"] = "00:01:00",
        });
        await using var ingestion = ServiceProcess.Start("Ingestion", settings);
        await using var workflow = ServiceProcess.Start("Workflow", settings);
        await ingestion.ReadyAsync();

        await ingestion.Http.PostAsync("/api/deliveryrequests", SampleRequests.Delivery("order-1"));
        await Eventually.TrueAsync(() => collector.Of("RequestData", "ingestion").Any() && collector.Of("RequestData", "workflow").Any());

        var request = Assert.Single(collector.Of("RequestData", "ingestion"));
        var handling = Assert.Single(collector.Of("RequestData", "workflow"));
        var operation = OperationOf(request);
        Assert.Equal("POST /api/deliveryrequests", DataOf(request).GetProperty("name").GetString());
        Assert.Equal(operation, OperationOf(handling));
        var calls = collector.Of("RemoteDependencyData", "workflow")
            .Where(item => OperationOf(item) == operation && DataOf(item).GetProperty("type").GetString() == "Http")
            .OrderBy(item => item.GetProperty("time").GetDateTimeOffset())
            .ToList();
        Assert.Equal(["package", "dronescheduler", "delivery"], calls.Select(item => DataOf(item).GetProperty("target").GetString()));
        Assert.Equal(
            ["PUT /api/packages/{id}", "PUT /api/dronedeliveries/{id}", "PUT /api/deliveries/{id}"],
            calls.Select(item => DataOf(item).GetProperty("name").GetString()));
        var sending = collector.Of("RemoteDependencyData", "ingestion")
            .Single(item => DataOf(item).GetProperty("name").GetString() == "ServiceBusSender.Send");
        Assert.Equal(operation, OperationOf(sending));
        Assert.Equal("Azure Service Bus", DataOf(sending).GetProperty("type").GetString());
        Assert.Equal("localhost/queue-1", DataOf(sending).GetProperty("target").GetString());
        Assert.Equal("localhost/queue-1", DataOf(handling).GetProperty("source").GetString());
        Assert.All(
            [sending, handling, .. calls],
            item => Assert.Equal("order-1", DataOf(item).GetProperty("properties").GetProperty("deliveryId").GetString()));
    }
}
