namespace DroneDelivery.Telemetry.Tests.Ingest;

/// <summary>One request to an application with the real 2.x SDK; what it sent is shared by the tests.</summary>
public sealed class SdkRun : IAsyncLifetime
{
    private const string Key = "8c8d3f5e-3b0d-4c55-9c5e-2f6f43a2f001";

    public TelemetryCounts Counts { get; private set; } = null!;

    public int Sent { get; private set; }

    internal TelemetrySnapshot Snapshot { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        await using var collector = await Collector.StartAsync(new() { InstrumentationKey = Key.ToUpperInvariant() });
        await using var app = await InstrumentedApp.StartAsync(collector.Address, Key);
        await app.WorkOnceAsync(CancellationToken.None);
        (Counts, Snapshot, Sent) = (collector.Store.Counts, collector.Store.Snapshot(), InstrumentedApp.Sent);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}

// The SDK listens to every HTTP call of its process: alone, it hears only its own.
[CollectionDefinition(nameof(SdkItemsTests), DisableParallelization = true)]
public sealed class SdkItemsCollection;

/// <summary>What the real 2.x SDK sends, and where each part of it ends up.</summary>
[Collection(nameof(SdkItemsTests))]
public sealed class SdkItemsTests(SdkRun run) : IClassFixture<SdkRun>
{
    [Fact]
    public void Everything_that_was_sent_is_in_the_tables()
    {
        Assert.Equal(run.Sent, run.Counts.Received);
        Assert.Equal(run.Sent, run.Counts.Kept);
        Assert.Empty(run.Counts.Refused);
        Assert.Equal(run.Sent, run.Snapshot.Tables.Values.Sum(table => table.Rows));
    }

    [Fact]
    public void A_request()
    {
        var row = Row("requests", "GET /work");

        Assert.Equal(false, row["success"]);
        Assert.Equal("503", row["resultCode"]);
        Assert.EndsWith("/work", (string)row["url"]!);
        Assert.InRange((double)row["duration"]!, 1, 60_000);
        Assert.Equal("request", row["itemType"]);
        Assert.Equal("workflow", row["cloud_RoleName"]);
        Assert.Equal("workflow-0", row["cloud_RoleInstance"]);
        Assert.Equal("PC", row["client_Type"]);
        Assert.Equal(1L, row["itemCount"]);
        Assert.Equal(16, ((string)row["id"]!).Length);
        Assert.Equal(32, ((string)row["operation_Id"]!).Length);
        Assert.StartsWith("aspnet5c:2.", (string)row["sdkVersion"]!);
        Assert.Contains("Production", (string)row["customDimensions"]!);
        Assert.Null(row["customMeasurements"]);
    }

    [Fact]
    public void An_http_dependency_is_a_child_of_its_request()
    {
        var request = Row("requests", "GET /work");
        var call = Row("dependencies", "GET /answer");

        Assert.Equal("Http", call["type"]);
        Assert.StartsWith("127.0.0.1:", (string)call["target"]!);
        Assert.EndsWith("/answer", (string)call["data"]!);
        Assert.Equal("200", call["resultCode"]);
        Assert.Equal(true, call["success"]);
        Assert.Equal(request["id"], call["operation_ParentId"]);
        Assert.Equal(request["operation_Id"], call["operation_Id"]);
        Assert.Equal("GET /work", call["operation_Name"]);
    }

    [Fact]
    public void A_tracked_dependency()
    {
        var row = Row("dependencies", "SET");

        Assert.Equal(("redis", "cache:6379", "SET key", "OOM", false, 1.5, "<250ms"),
            (row["type"], row["target"], row["data"], row["resultCode"], row["success"], row["duration"], row["performanceBucket"]));
        Assert.Equal(new DateTime(2030, 1, 1, 0, 0, 0, DateTimeKind.Utc), row["timestamp"]);
    }

    [Fact]
    public void An_exception_with_its_cause()
    {
        var row = Assert.Single(Rows.Of(run.Snapshot, "exceptions"));

        Assert.Equal(("System.InvalidOperationException", "outer"), (row["type"], row["message"]));
        Assert.Equal(("System.InvalidOperationException", "outer"), (row["outerType"], row["outerMessage"]));
        Assert.Equal(("System.TimeoutException", "inner"), (row["innermostType"], row["innermostMessage"]));
        Assert.Contains(nameof(InstrumentedApp), (string)row["method"]!);
        Assert.StartsWith("System.InvalidOperationException at ", (string)row["problemId"]!);
        Assert.StartsWith("DroneDelivery.Telemetry.Tests", (string)row["assembly"]!);
        Assert.StartsWith("[{", (string)row["details"]!);
    }

    [Fact]
    public void A_trace_with_its_escaped_text()
    {
        var row = Assert.Single(Rows.Of(run.Snapshot, "traces"));

        Assert.Equal(("Delivery d-\"1\" is late", 2L), (row["message"], row["severityLevel"]));
    }

    [Fact]
    public void An_event_with_its_measurements()
    {
        var row = Assert.Single(Rows.Of(run.Snapshot, "customEvents"));

        Assert.Equal(("Started", """{"users":2.5}"""), (row["name"], row["customMeasurements"]));
    }

    [Fact]
    public void A_metric_with_its_aggregate()
    {
        var row = Assert.Single(Rows.Of(run.Snapshot, "customMetrics"));

        Assert.Equal(("Backlog", 12.0, 3L, 12.0, 2.0, 6.0, 1.5),
            (row["name"], row["value"], row["valueCount"], row["valueSum"], row["valueMin"], row["valueMax"], row["valueStdDev"]));
    }

    [Fact]
    public void A_metric_that_is_named_like_a_counter_is_one()
    {
        var row = Assert.Single(Rows.Of(run.Snapshot, "performanceCounters"));

        Assert.Equal(("% Processor Time", 7.5, "Process", "% Processor Time", "??APP_WIN32_PROC??"),
            (row["name"], row["value"], row["category"], row["counter"], row["instance"]));
    }

    [Fact]
    public void An_availability_result()
    {
        var row = Assert.Single(Rows.Of(run.Snapshot, "availabilityResults"));

        Assert.Equal(("home", "here", true, "fine", 300.0, "250ms-500ms"),
            (row["name"], row["location"], row["success"], row["message"], row["duration"], row["performanceBucket"]));
    }

    private Dictionary<string, object?> Row(string table, string name) =>
        Assert.Single(Rows.Of(run.Snapshot, table), row => Equals(row["name"], name));
}
