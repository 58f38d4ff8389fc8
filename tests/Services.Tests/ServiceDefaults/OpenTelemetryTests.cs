using DroneDelivery.ServiceDefaults.Telemetry;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using OpenTelemetry.Metrics;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>Separate processes, because OpenTelemetry listens to everything in its process.</summary>
public sealed class OpenTelemetryTests : WithFolder
{
    [Fact]
    public void Metrics_are_exported_often_enough_for_rates_over_a_minute()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Configuration["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:1";
        builder.AddTelemetry("package");
        using var services = builder.Services.BuildServiceProvider();

        var metrics = services.GetRequiredService<IOptions<MetricReaderOptions>>().Value;

        Assert.Equal(15_000, metrics.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds);
    }

    [Fact]
    public async Task Items_sent_over_grpc_name_their_service_and_replica()
    {
        await using var collector = await FakeCollector.StartAsync();
        await using var receiver = await OtlpReceiver.StartAsync();
        await using (
            var service = ServiceProcess.Start(
                "Package",
                Folder
                    .SqliteSettings.And(collector.Settings)
                    .And(receiver.GrpcSettings)
                    .And("Telemetry:RoleInstance", "package-7")
            )
        )
        {
            await service.ReadyAsync();
            for (var uploads = 0; uploads < 3; uploads++)
            {
                var (metrics, items) = (receiver.Metrics.Count, collector.Items.Count);
                await service.Http.PutAsync($"/api/packages/p{uploads}", Packages.Sample);
                await Eventually.TrueAsync(() =>
                    receiver.Metrics.Count > metrics && collector.Items.Count > items && receiver.Spans.Count > uploads
                );
            }
            await service.StopAsync();
        }

        Assert.Equal(3, collector.Of("RequestData", "package").Count());
        Assert.Empty(collector.Of("RemoteDependencyData", "package"));
        Assert.Equal(Enumerable.Repeat("PUT /api/packages/{id}", 3), receiver.Spans.Select(span => span.Name));
        Assert.Equal("201", receiver.Spans.First().Attributes["http.response.status_code"]);
        await Eventually.TrueAsync(() => !receiver.Logs.IsEmpty);
        Assert.All(
            [receiver.Spans.First().Resource, receiver.Metrics.First().Resource, receiver.Logs.First().Resource],
            resource =>
            {
                Assert.Equal(("package", "package-7"), (resource["service.name"], resource["service.instance.id"]));
                Assert.NotEmpty(resource["service.version"]);
            }
        );
    }

    [Fact]
    public async Task Pending_telemetry_is_sent_at_shutdown()
    {
        await using var receiver = await OtlpReceiver.StartAsync();
        var settings = Folder
            .SqliteSettings.And(receiver.Settings)
            .And(
                new()
                {
                    ["OTEL_METRIC_EXPORT_INTERVAL"] = "3600000",
                    ["OTEL_BSP_SCHEDULE_DELAY"] = "3600000",
                    ["OTEL_BLRP_SCHEDULE_DELAY"] = "3600000",
                    ["Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics"] = "Information",
                }
            );
        await using (var service = ServiceProcess.Start("Package", settings))
        {
            await service.ReadyAsync();
            for (var i = 0; i < 50; i++)
                await service.Http.PutAsync($"/api/packages/p{i}", Packages.Sample);
            Assert.Empty(receiver.Spans);
            await service.StopAsync();
        }

        // On a busy machine, the service may exit before its last uploads have been read.
        await Eventually.TrueAsync(() => receiver.Spans.Count >= 50);
        await Eventually.TrueAsync(() => receiver.Logs.Count(IsEndOfPut) >= 50 && Requests() is not null);
        Assert.Equal(50, receiver.Spans.Count);
        Assert.Equal(50, receiver.Logs.Count(IsEndOfPut));
        Assert.Equal(
            50,
            Requests()!
                .Points.Where(point => point.Attributes["http.request.method"] == "PUT")
                .Sum(point => point.Count)
        );

        OtlpMetric? Requests() => receiver.Metric("package", "http.server.request.duration");

        static bool IsEndOfPut(OtlpLog log) =>
            log.Body.StartsWith("Request finished HTTP/1.1 PUT", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unreachable_endpoints_do_not_delay_the_shutdown()
    {
        await using var service = ServiceProcess.Start(
            "Package",
            Folder.SqliteSettings.And(
                new()
                {
                    ["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:9",
                    ["OTEL_EXPORTER_OTLP_PROTOCOL"] = "http/protobuf",
                    ["APPLICATIONINSIGHTS_CONNECTION_STRING"] =
                        $"InstrumentationKey={Guid.NewGuid()};IngestionEndpoint=http://127.0.0.1:9/",
                }
            )
        );
        await service.ReadyAsync();
        await service.Http.PutAsync("/api/packages/p1", Packages.Sample);

        await service.StopAsync();

        Assert.Equal(0, await service.ExitCodeAsync());
    }

    [Fact]
    public async Task Client_baggage_reaches_neither_spans_nor_other_services()
    {
        await using var receiver = await OtlpReceiver.StartAsync();
        await using var queue = await QueueUnderTest.StartAsync();
        await using var delivery = await FakeReplica.StartAsync();
        await using var ingestion = ServiceProcess.Start(
            "Ingestion",
            queue.Settings.And(receiver.Settings).And("services:delivery:http:0", $"{delivery.Address}")
        );
        await ingestion.ReadyAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, "/api/deliveryrequests/order-1");
        request.Headers.Add("baggage", "deliveryId=victim");

        (await ingestion.Http.SendAsync(request, Cancelled)).Dispose();
        await Eventually.TrueAsync(() => receiver.Spans.Any(span => span.Kind == 2) && delivery.Calls > 0);

        Assert.All(delivery.Header("baggage"), header => Assert.DoesNotContain("victim", header));
        Assert.All(receiver.Spans, span => Assert.DoesNotContain("drone_delivery.delivery.id", span.Attributes.Keys));
    }
}
