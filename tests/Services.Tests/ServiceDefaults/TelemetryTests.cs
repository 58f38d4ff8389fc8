using System.Globalization;
using System.Text.Json;
using DroneDelivery.Testing;
using static DroneDelivery.Services.Tests.Support.FakeCollector;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>Separate processes, because the pipeline listens to everything in its process.</summary>
public sealed class TelemetryTests : WithFolder
{
    /// <param name="name">The name of the replica; if empty, the machine and process identify it.</param>
    [Theory]
    [InlineData("package-7")]
    [InlineData("")]
    public async Task Requests_are_recorded_with_route_and_replica(string name)
    {
        await using var collector = await FakeCollector.StartAsync();
        await using var service = ServiceProcess.Start(
            "Package",
            Folder.SqliteSettings.And(collector.Settings).And("Telemetry:RoleInstance", name)
        );
        await service.ReadyAsync();

        await service.Http.SendAsync(HttpMethod.Get, "/health/live");
        await service.Http.PutAsync("/api/packages/p1", Packages.Sample);
        using var connection = await RawConnection.OpenAsync(service.Address);
        await connection.SendAsync("GET /api/packages/p2 HTTP/1.0\r\n\r\n"); // Without a Host header.
        Assert.StartsWith("HTTP/1.1 404 ", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        await Eventually.TrueAsync(() => collector.Of("RequestData", "package").Count() >= 2);

        Assert.Equal(2, collector.Of("RequestData", "package").Count());
        var item = collector.Of("RequestData", "package").First();
        var request = item.GetProperty("data").GetProperty("baseData");
        Assert.Equal("PUT /api/packages/{id}", request.GetProperty("name").GetString());
        Assert.Equal("201", request.GetProperty("responseCode").GetString());
        var tags = item.GetProperty("tags");
        Assert.Equal("PUT /api/packages/{id}", tags.GetProperty("ai.operation.name").GetString());
        Assert.Equal(
            name.Length > 0 ? name : $"{Environment.MachineName}-{service.Id}",
            tags.GetProperty("ai.cloud.roleInstance").GetString()
        );
        Assert.Empty(collector.OtherPaths);
    }

    [Fact]
    public async Task Dead_lettered_message_is_recorded_as_failed()
    {
        await using var collector = await FakeCollector.StartAsync();
        await using var backends = await FakeBackends.StartAsync();
        await using var queue = await QueueUnderTest.StartAsync();
        await using var workflow = ServiceProcess.Start(
            "Workflow",
            queue
                .Settings.And(backends.Settings)
                .And(collector.Settings)
                .And(new() { ["Workflow:Supervisor:Enabled"] = "false", ["Workflow:RetryDelay"] = "00:05:00" })
        );
        await workflow.ReadyAsync();

        await queue.SendAsync(QueueMessages.Cancel("unknown"), QueueMessages.Message("explode", "order-1", new()));
        await Eventually.TrueAsync(() => collector.Of("RequestData", "workflow").Count() == 2);

        var handled = collector
            .Of("RequestData", "workflow")
            .ToDictionary(
                item => PropertyOf(item, "drone_delivery.delivery.id")!,
                item => (DataOf(item).GetProperty("success").GetBoolean(), PropertyOf(item, "error.type"))
            );
        Assert.Equal((true, null), handled["unknown"]);
        Assert.Equal((false, "UnknownOperation"), handled["order-1"]);
    }

    [Fact]
    public async Task Recorded_503_contains_the_cause()
    {
        await using var collector = await FakeCollector.StartAsync();
        await using var service = ServiceProcess.Start(
            "Package",
            new Dictionary<string, string?> { ["Database:ConnectionString"] = "Data Source=/nowhere/x.db" }.And(
                collector.Settings
            )
        );
        await Eventually.TrueAsync(() => service.Output.Contains("Application started", StringComparison.Ordinal));

        using var response = await service.Http.PutAsync("/api/packages/p1", Packages.Sample);
        await Eventually.TrueAsync(() => collector.Of("ExceptionData", "package").Any());

        Assert.Contains(
            "unable to open database file",
            collector.Of("ExceptionData", "package").First().ToString(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Redis_calls_are_children_of_their_request_when_tracked()
    {
        await using var collector = await FakeCollector.StartAsync();
        await using var redis = await RedisFixture.StartAsync(Cancelled);
        await using var delivery = ServiceProcess.Start(
            "Delivery",
            collector
                .Settings.And("Redis:ConnectionString", redis.ConnectionString)
                .And("Redis:OperationTimeout", "00:00:00.500")
                .And("Telemetry:TrackRedis", "true")
        );
        await delivery.ReadyAsync();
        await redis.CommandAsync("CLIENT PAUSE 600000", Cancelled);

        await delivery.Http.SendAsync(HttpMethod.Get, "/api/deliveries/d1");
        await Eventually.TrueAsync(() => Calls().Any() && collector.Of("RequestData", "delivery").Any());

        var request = Assert.Single(collector.Of("RequestData", "delivery"));
        var call = Assert.Single(Calls());
        Assert.Equal(OperationOf(request), OperationOf(call));
        var parent = DataOf(request).GetProperty("id").GetString();
        Assert.Equal(parent, call.GetProperty("tags").GetProperty("ai.operation.parentId").GetString());
        Assert.NotEqual(parent, DataOf(call).GetProperty("id").GetString());
        Assert.Equal(redis.ConnectionString, DataOf(call).GetProperty("target").GetString());
        Assert.False(DataOf(call).GetProperty("success").GetBoolean());
        // The call lasts nearly as long as the request. If its timestamp were its end, it would end long after the
        // request.
        Assert.True(EndOf(call) < EndOf(request) + LengthOf(call) / 2, $"{call} is not within {request}.");

        IEnumerable<JsonElement> Calls() =>
            collector
                .Of("RemoteDependencyData", "delivery")
                .Where(item => DataOf(item).GetProperty("type").GetString() == "redis");
    }

    [Fact]
    public async Task Unknown_paths_share_one_operation_name()
    {
        const int paths = 100;
        await using var collector = await FakeCollector.StartAsync();
        await using var service = ServiceProcess.Start("Package", Folder.SqliteSettings.And(collector.Settings));
        await service.ReadyAsync();

        for (var number = 0; number < paths; number++)
            (await service.Http.SendAsync(HttpMethod.Get, $"/admin-{number}.php")).Dispose();
        await Eventually.TrueAsync(() => collector.Of("RequestData", "package").Count() >= paths);

        var requests = collector.Of("RequestData", "package").ToList();
        var name = Assert.Single(requests.Select(item => DataOf(item).GetProperty("name").GetString()).Distinct());
        Assert.Equal("GET", name);
        Assert.All(requests, item =>
            Assert.Equal(name, item.GetProperty("tags").GetProperty("ai.operation.name").GetString())
        );
        Assert.Equal(paths, requests.Select(item => DataOf(item).GetProperty("url").GetString()).Distinct().Count());
    }

    [Fact]
    public async Task Redis_commands_are_not_tracked_by_default()
    {
        await using var collector = await FakeCollector.StartAsync();
        await using var redis = await RedisFixture.StartAsync(Cancelled);
        await using var delivery = ServiceProcess.Start(
            "Delivery",
            collector.Settings.And("Redis:ConnectionString", redis.ConnectionString)
        );
        await delivery.ReadyAsync();

        await delivery.Http.SendAsync(HttpMethod.Get, "/api/deliveries/d1");
        await delivery.StopAsync();

        await Eventually.TrueAsync(() => collector.Of("RequestData", "delivery").Any());
        Assert.Empty(collector.Of("RemoteDependencyData", "delivery"));
    }

    private static DateTimeOffset EndOf(JsonElement item) =>
        item.GetProperty("time").GetDateTimeOffset() + LengthOf(item);

    private static TimeSpan LengthOf(JsonElement item) =>
        TimeSpan.Parse(DataOf(item).GetProperty("duration").GetString()!, CultureInfo.InvariantCulture);
}
