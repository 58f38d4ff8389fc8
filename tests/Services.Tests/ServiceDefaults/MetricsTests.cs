using System.Diagnostics.Metrics;
using System.Globalization;
using System.Net;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>
/// The metrics that docs/reference/metrics.md documents, including failures that OneTraceTests does not cover.
/// </summary>
public sealed class MetricsTests : WithFolder
{
    [Fact]
    public async Task Messages_are_counted_by_settlement_and_completed_ones_by_age()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        using var metrics = new RecordedMetrics(workflow.Host.Services.GetRequiredService<IMeterFactory>());
        var failures = 0;
        workflow.Backends.Answer(_ => Interlocked.Increment(ref failures) == 1 ? 503 : null);
        var delivery = QueueMessages.Delivery(SampleRequests.Delivery("order-1"));
        var anHourAgo = TimeProvider.System.GetUtcNow().AddHours(-1);
        delivery.ApplicationProperties[QueueMessage.AcceptedProperty] = anHourAgo.ToString(
            "O",
            CultureInfo.InvariantCulture
        );

        await workflow.Queue.SendAsync(delivery);
        await Eventually.TrueAsync(() => Settled().Count == 2);
        await workflow.Queue.SendAsync(new ServiceBusMessage("{}") { MessageId = "no operation" });
        await workflow.Queue.SendAsync(QueueMessages.Cancel("nobody-knows"));

        const string refused = "drone_delivery.settlement=dead_letter drone_delivery.reason=UnknownOperation";
        await Eventually.TrueAsync(() =>
            Settled().Contains(refused) && Settled().Skip(2).Contains("drone_delivery.settlement=postpone")
        );
        var settled = Settled();
        Assert.Equal(["drone_delivery.settlement=postpone", "drone_delivery.settlement=complete"], settled.Take(2));
        Assert.InRange(Assert.Single(metrics.ValuesOf("drone_delivery.request.age")), 3_600, 3_900);
        await Eventually.TrueAsync(() => metrics.Of("messaging.process.duration").Count >= settled.Count);
        Assert.Contains(
            "messaging.system=servicebus",
            metrics.Of("messaging.process.duration")[0],
            StringComparison.Ordinal
        );

        List<string> Settled() =>
            [.. metrics.Of("drone_delivery.messages.settled").Select(tags => tags.Split(" messaging.destination")[0])];
    }

    [Fact]
    public async Task Dead_letters_and_abandoned_cancels_record_no_age()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:Supervisor:Enabled"] = "true" }
        );
        using var metrics = new RecordedMetrics(workflow.Host.Services.GetRequiredService<IMeterFactory>());
        workflow.Backends.Answer(call => call.Path == "/api/packages/package-order-1" ? 422 : null);
        ServiceBusMessage[] messages =
        [
            QueueMessages.Delivery(SampleRequests.Delivery("order-1")),
            QueueMessages.Cancel("nobody-knows"),
        ];
        foreach (var message in messages)
        {
            message.ApplicationProperties[QueueMessage.AcceptedProperty] = TimeProvider
                .System.GetUtcNow()
                .ToString("O", CultureInfo.InvariantCulture);
        }
        var yesterday = TimeProvider.System.GetUtcNow().UtcDateTime.AddDays(-1);
        // It has waited for the maximum time.
        messages[1].ApplicationProperties[Recoverability.FirstFailureAt] = yesterday;

        await workflow.Queue.SendAsync(messages);

        await Eventually.TrueAsync(() =>
            Settled().Count(tags => tags.Contains("settlement=complete", StringComparison.Ordinal)) == 2
        );
        await Eventually.TrueAsync(() => metrics.Of("messaging.process.duration").Count >= Settled().Count);
        Assert.Empty(metrics.ValuesOf("drone_delivery.request.age"));

        IReadOnlyList<string> Settled() => metrics.Of("drone_delivery.messages.settled");
    }

    [Fact]
    public async Task Redis_commands_are_measured_with_their_error_type()
    {
        await using var redis = await RedisFixture.StartAsync(Cancelled);
        await using var delivery = ServiceHost<DeliveryStore>.Start(
            new() { ["Redis:ConnectionString"] = redis.ConnectionString, ["Redis:OperationTimeout"] = "00:00:00.500" }
        );
        using var metrics = new RecordedMetrics(delivery.Services.GetRequiredService<IMeterFactory>());

        await Eventually.TrueAsync(async () =>
            await delivery.Http.StatusAsync("/api/deliveries/d1") == HttpStatusCode.NotFound
        );
        await redis.CommandAsync("CLIENT PAUSE 600000", Cancelled);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, await delivery.Http.StatusAsync("/api/deliveries/d1"));

        var commands = metrics.Of("db.client.operation.duration");
        Assert.Contains("db.system.name=redis db.operation.name=GET", commands);
        Assert.Equal("db.system.name=redis db.operation.name=GET error.type=TimeoutException", commands[^1]);
        Assert.InRange(metrics.ValuesOf("db.client.operation.duration")[^1], 0.4, 60); // In seconds.
    }

    [Fact]
    public async Task SQL_statements_are_measured_with_their_error_type()
    {
        await using var package = ServiceHost<PackageStore>.Start(Folder.SqliteSettings);
        await using var away = ServiceHost<PackageStore>.Start(
            new() { ["Database:ConnectionString"] = "Data Source=/nowhere/x.db" }
        );
        using var metrics = new RecordedMetrics(package.Services.GetRequiredService<IMeterFactory>());
        using var failures = new RecordedMetrics(away.Services.GetRequiredService<IMeterFactory>());

        await package.Http.PutAsync(
            "/api/packages/p1",
            new PackageUpsert
            {
                OwnerId = "owner-1",
                Size = PackageSize.Small,
                Weight = 1,
            }
        );
        await package.Http.StatusAsync("/api/packages/p1");
        await away.Http.StatusAsync("/api/packages/p1");

        var statements = metrics.Of("db.client.operation.duration");
        Assert.Contains("db.system.name=sqlite db.operation.name=INSERT", statements);
        Assert.Contains("db.system.name=sqlite db.operation.name=SELECT", statements);
        const int cannotOpen = 14;
        Assert.Equal(
            [$"db.system.name=sqlite db.operation.name=SELECT error.type={cannotOpen}"],
            failures.Of("db.client.operation.duration")
        );
    }
}
