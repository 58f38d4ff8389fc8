using System.Text.Json;
using DroneDelivery.Testing;
using static DroneDelivery.Services.Tests.Support.FakeCollector;

namespace DroneDelivery.Services.Tests.DeliveryJourney;

/// <summary>
/// The telemetry of one delivery over OTLP and in Application Insights, from five processes, a real broker, and a real
/// Redis. DeliveryTraceTests of the lab cover Application Insights without OTLP.
/// </summary>
public sealed class OneTraceTests : WithFolder
{
    private const int Client = 3,
        Producer = 4,
        Consumer = 5;

    private static readonly string[] Services = ["delivery", "dronescheduler", "ingestion", "package", "workflow"];

    private static readonly Dictionary<string, string?> Patient = new()
    {
        ["Database:WriteTimeout"] = "00:01:00",
        ["Redis:OperationTimeout"] = "00:01:00",
        ["Resilience:AttemptTimeout"] = "00:01:00",
        ["ServiceBus:SendTimeout"] = "00:01:00",
    };

    [Fact]
    public async Task One_delivery_is_one_trace_across_all_five_services()
    {
        await using var receiver = await OtlpReceiver.StartAsync();
        await using var collector = await FakeCollector.StartAsync();
        await using var redis = await RedisFixture.StartAsync(Cancelled);
        await using var queue = await QueueUnderTest.StartAsync();
        var common = queue
            .Settings.And(receiver.Settings)
            .And(collector.Settings)
            .And(Patient)
            .And("Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics", "Information");
        await using var package = ServiceProcess.Start("Package", common.And(Store("package")));
        await using var drones = ServiceProcess.Start("DroneScheduler", common.And(Store("drones")));
        await using var delivery = ServiceProcess.Start(
            "Delivery",
            common.And("Redis:ConnectionString", redis.ConnectionString).And("Telemetry:TrackRedis", "true")
        );
        var settings = common
            .And("services:package:http:0", $"{package.Address}")
            .And("services:dronescheduler:http:0", $"{drones.Address}")
            .And("services:delivery:http:0", $"{delivery.Address}");
        await using var ingestion = ServiceProcess.Start("Ingestion", settings);
        await using var workflow = ServiceProcess.Start("Workflow", settings);
        ServiceProcess[] all = [package, drones, delivery, ingestion, workflow];
        await Task.WhenAll(all.Select(service => service.ReadyAsync()));

        using var accepted = await ingestion.Http.PostAsync(
            "/api/deliveryrequests",
            SampleRequests.Delivery("order-1")
        );
        await Eventually.TrueAsync(() => queue.Counts.Completed == 1);
        await Task.WhenAll(all.Select(service => service.StopAsync()));

        // A service may exit before its last uploads have been read.
        await Eventually.PassesAsync(() => AssertOneTrace(SpansOfTrace(receiver)));
        await Eventually.PassesAsync(() => AssertOneOperation(collector));
        await Eventually.PassesAsync(() => AssertMetrics(receiver));
        await Eventually.PassesAsync(() => AssertLogs(receiver));
    }

    private static IReadOnlyList<OtlpSpan> SpansOfTrace(OtlpReceiver receiver)
    {
        var trace = TraceOf(receiver);
        return [.. receiver.Spans.Where(span => span.TraceId == trace)];
    }

    private static string TraceOf(OtlpReceiver receiver) =>
        Assert.Single(receiver.Spans, span => span.Name == "POST /api/deliveryrequests").TraceId;

    private static void AssertLogs(OtlpReceiver receiver)
    {
        var trace = TraceOf(receiver);
        var logs = receiver.Logs.Where(log => log.TraceId == trace).ToList();
        Assert.Equal(Services, logs.Select(log => log.Service).Distinct().Order());
        Assert.Contains(logs, log => log is { Service: "ingestion", Body: "Delivery order-1: Accepted (delivery)" });
        Assert.Contains(logs, log => log is { Service: "workflow", Body: "Delivery order-1: Completed (delivery)" });
    }

    private Dictionary<string, string?> Store(string name) =>
        new() { ["Database:ConnectionString"] = $"Data Source={Folder.Write($"{name}.db")}" };

    private static void AssertOneTrace(IReadOnlyList<OtlpSpan> spans)
    {
        Assert.Equal(Services, spans.Select(span => span.Service).Distinct().Order());
        var ids = spans.Select(span => span.SpanId).ToHashSet();
        var root = Assert.Single(spans, span => !ids.Contains(span.ParentId));
        Assert.Equal(("ingestion", "POST /api/deliveryrequests", ""), (root.Service, root.Name, root.ParentId));
        var message = Assert.Single(spans, span => span.Kind == Producer);
        var handling = Assert.Single(spans, span => span.Kind == Consumer);
        Assert.Equal(("workflow", message.SpanId), (handling.Service, handling.ParentId));
        Assert.Equal("servicebus", handling.Attributes["messaging.system"]);
        var ofWorkflow = spans.Where(span => span.Service == "workflow").ToList();
        Assert.Contains(ofWorkflow, span => span.Kind == Client && span.Attributes.ContainsKey("http.request.method"));
        Assert.Contains(ofWorkflow, span => span.Kind == Client && span.Name == "ServiceBusReceiver.Complete");
        Assert.All(ofWorkflow, span => Assert.Equal("order-1", span.Attributes["drone_delivery.delivery.id"]));
        Assert.Contains(spans, span =>
            span.Kind == Client && span.Attributes.GetValueOrDefault("db.system.name") == "redis"
        );
    }

    private static void AssertOneOperation(FakeCollector collector)
    {
        var request = Assert.Single(collector.Of("RequestData", "ingestion"));
        var handling = Assert.Single(collector.Of("RequestData", "workflow"));
        var sending = Assert.Single(collector.Of("RemoteDependencyData", "ingestion"), item =>
            Text(item, "name") == "ServiceBusSender.Send"
        );
        var calls = collector
            .Of("RemoteDependencyData", "workflow")
            .Where(item => OperationOf(item) == OperationOf(request) && Text(item, "type") == "Http")
            .ToList();
        Assert.Equal(3, calls.Count);
        Assert.Equal("POST /api/deliveryrequests", Text(request, "name"));
        // An upload of telemetry is not recorded as a dependency.
        Assert.Empty(collector.Of("RemoteDependencyData", "package"));
        Assert.Equal(
            ("servicebus", "localhost/queue-1", "localhost/queue-1"),
            (Text(sending, "type"), Text(sending, "target"), Text(handling, "source"))
        );
        Assert.All([sending, handling, .. calls], item =>
        {
            Assert.Equal(OperationOf(request), OperationOf(item));
            Assert.Equal("order-1", PropertyOf(item, "drone_delivery.delivery.id"));
        });
        Assert.Equal(
            [("DeliveryAccepted", OperationOf(request)), ("DeliveryCompleted", OperationOf(request))],
            collector
                .Of("EventData", "ingestion")
                .Concat(collector.Of("EventData", "workflow"))
                .Select(item => (Text(item, "name"), OperationOf(item)))
        );

        static string? Text(JsonElement item, string member) => DataOf(item).GetProperty(member).GetString();
    }

    /// <summary>
    /// Covers every instrument of a delivery without errors. They are listed in docs/reference/metrics.md.
    /// </summary>
    private static void AssertMetrics(OtlpReceiver receiver)
    {
        AssertMetric("ingestion", "http.server.request.duration", "s", ("http.route", "/api/deliveryrequests"));
        AssertMetric("workflow", "messaging.process.duration", "s", ("messaging.operation.name", "process"));
        AssertMetric(
            "workflow",
            "drone_delivery.messages.settled",
            "{message}",
            ("drone_delivery.settlement", "complete")
        );
        AssertMetric("workflow", "drone_delivery.request.age", "s");
        AssertMetric("workflow", "http.client.request.duration", "s", ("server.address", "package"));
        AssertMetric("delivery", "db.client.operation.duration", "s", ("db.system.name", "redis"));
        AssertMetric("package", "http.server.request.duration", "s", ("http.route", "/api/packages/{id}"));

        void AssertMetric(string service, string name, string unit, params (string Name, string Value)[] tags)
        {
            var metric = receiver.Metric(service, name);
            Assert.True(metric is not null, $"{service} sent no {name}.");
            Assert.Equal(unit, metric.Unit);
            Assert.Contains(metric.Points, point =>
                point.Count > 0 && tags.All(tag => point.Attributes.GetValueOrDefault(tag.Name) == tag.Value)
            );
        }
    }
}
