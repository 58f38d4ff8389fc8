using System.Globalization;
using System.Text.Json;
using DroneDelivery.Testing;
using static DroneDelivery.Services.Tests.Support.FakeCollector;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>Separate processes: the pipeline listens to everything in its process.</summary>
public sealed class TelemetryTests : WithFolder
{
    /// <param name="name">Without it a replica is called by its machine and process.</param>
    [Theory]
    [InlineData("package-7")]
    [InlineData("")]
    public async Task Requests_arrive_under_their_route_role_and_replica_and_probes_do_not(string name)
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
        await connection.SendAsync("GET /api/packages/p2 HTTP/1.0\r\n\r\n"); // names no host
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
    public async Task The_handling_of_a_message_arrives_as_failed_if_it_is_dead_lettered_and_not_if_it_is_postponed()
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
    public async Task A_503_arrives_with_the_cause_that_its_client_is_not_told()
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
    public async Task Calls_to_Redis_arrive_as_children_of_the_request_that_made_them_when_asked_for()
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
        // It lasts nearly as long as the request: were its end its time, it would end far behind the request.
        Assert.True(EndOf(call) < EndOf(request) + LengthOf(call) / 2, $"{call} does not lie within {request}.");

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
