using Azure.Monitor.OpenTelemetry.Exporter;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.Extensions.DependencyInjection;
using OpenTelemetry;
using OpenTelemetry.Resources;

namespace DroneDelivery.Telemetry.Tests.Ingest;

/// <summary>
/// The items that the SDK (3.x, built on OpenTelemetry) sends of each type, and the columns of their parts.
/// </summary>
public sealed class SdkItemsTests : IAsyncLifetime
{
    private const string Key = "8c8d3f5e-3b0d-4c55-9c5e-2f6f43a2f001";

    private TelemetryCounts _counts = null!;
    private TelemetrySnapshot _snapshot = null!;

    public async ValueTask InitializeAsync()
    {
        await using var collector = await Collector.StartAsync(new() { InstrumentationKey = Key.ToUpperInvariant() });
        Environment.SetEnvironmentVariable("APPLICATIONINSIGHTS_STATSBEAT_DISABLED", "true");
        Environment.SetEnvironmentVariable("OTEL_DOTNET_AZURE_MONITOR_ENABLE_RESOURCE_METRICS", "false");
        using (
            var configuration = new TelemetryConfiguration
            {
                ConnectionString = $"InstrumentationKey={Key};IngestionEndpoint={collector.Address}",
                SamplingRatio = 1,
                EnableLiveMetrics = false,
                DisableOfflineStorage = true,
            }
        )
        {
            configuration.ConfigureOpenTelemetryBuilder(sdk =>
                sdk.ConfigureResource(resource =>
                        resource.Clear().AddService("workflow", serviceInstanceId: "workflow-0")
                    )
                    .Services.Configure<AzureMonitorExporterOptions>(exporter =>
                        exporter.EnableStandardMetrics = exporter.EnablePerformanceCounters = false
                    )
            );
            Track(new(configuration));
        }
        (_counts, _snapshot) = (collector.Store.Counts, collector.Store.Snapshot());
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    [Fact]
    public void All_sent_items_are_in_the_tables()
    {
        Assert.Equal((8L, 8L), (_counts.Received, _counts.Kept));
        Assert.Empty(_counts.Refused);
        Assert.Equal(8, _snapshot.Tables.Values.Sum(table => table.Rows));
    }

    [Theory]
    [InlineData(
        "requests | project name, url, resultCode, success, itemType, itemCount, client_Type, cloud_RoleName, cloud_RoleInstance, "
            + "strlen(id), strlen(operation_Id), sdkVersion startswith 'dotnet', duration between (0.0 .. 60000.0), "
            + "customDimensions.AspNetCoreEnvironment, customMeasurements",
        "GET /work; http://workflow/work; 503; false; request; 1; PC; workflow; workflow-0; 16; 32; true; true; Production; ∅"
    )]
    [InlineData( // A child of its request.
        "dependencies | join kind=inner requests on $left.operation_ParentId == $right.id "
            + "| project name, type, target, data, resultCode, success, operation_Id == operation_Id1",
        "GET /answer; Http; answer; http://answer/answer; 200; true; true"
    )]
    [InlineData(
        "exceptions | project type, message, outerType, outerMessage, innermostType, innermostMessage, method contains 'SdkItemsTests', "
            + "problemId startswith 'System.InvalidOperationException at ', assembly startswith 'DroneDelivery.Telemetry.Tests', "
            + "tostring(details) startswith '[{'",
        "System.InvalidOperationException; outer; System.InvalidOperationException; outer; System.TimeoutException; inner; "
            + "true; true; true; true"
    )]
    [InlineData(
        "dependencies | where name == 'SET' | project timestamp, type, target, data, resultCode, success, duration, performanceBucket",
        "2030-01-01T12:00:00Z; redis; cache:6379; SET key; OOM; false; 1.5; <250ms"
    )]
    [InlineData("traces | project message, severityLevel", "Delivery d-\"1\" is late; 2")]
    [InlineData("customEvents | project name, customDimensions.users", "Started; 2")]
    [InlineData(
        "customMetrics | project name, value, valueCount, valueSum, valueMin, valueMax",
        "Backlog; 12; 3; 12; 2; 6"
    )]
    [InlineData(
        "availabilityResults | project name, location, success, message, duration, performanceBucket",
        "home; here; true; fine; 300; 250ms-500ms"
    )]
    public void Each_part_of_an_item_is_in_its_column(string query, string row) =>
        Assert.Equal(row, Assert.Single(Answer.To(query, _snapshot).Split('\n')[1..]));

    private static void Track(TelemetryClient client)
    {
        using (var request = client.StartOperation<RequestTelemetry>("GET /work"))
        {
            var item = request.Telemetry;
            (item.Url, item.ResponseCode, item.Success) = (new Uri("http://workflow/work"), "503", false);
            item.Properties["AspNetCoreEnvironment"] = "Production";
            client.TrackDependency(
                "Http",
                "answer",
                "GET /answer",
                "http://answer/answer",
                Items.Noon,
                TimeSpan.FromMilliseconds(12),
                "200",
                true
            );
        }
        client.TrackDependency(
            "redis",
            "cache:6379",
            "SET",
            "SET key",
            Items.Noon,
            TimeSpan.FromMilliseconds(1.5),
            "OOM",
            false
        );
        client.TrackTrace("Delivery d-\"1\" is late", SeverityLevel.Warning);
        client.TrackEvent("Started", new Dictionary<string, string> { ["users"] = "2" });
        foreach (var waiting in new[] { 2, 4, 6 })
            client.TrackMetric("Backlog", waiting);
        client.TrackAvailability("home", Items.Noon, TimeSpan.FromMilliseconds(300), "here", true, "fine");
        try
        {
            throw new InvalidOperationException("outer", new TimeoutException("inner"));
        }
        catch (InvalidOperationException exception)
        {
            client.TrackException(exception);
        }
    }
}
