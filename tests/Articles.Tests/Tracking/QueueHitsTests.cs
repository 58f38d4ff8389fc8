using System.Net;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Tracking;

namespace DroneDelivery.Articles.Tests.Tracking;

public sealed class QueueHitsTests
{
    [Fact]
    public async Task What_is_no_hit_of_this_service_is_dead_lettered_and_the_others_are_stored_once()
    {
        await using var queue = await QueueUnderTest.StartAsync();
        await using var tracking = await StartAsync(queue);
        var good = Hit.New("hits", "user", "reader", DateTimeOffset.UnixEpoch);
        var bad = Hit.New("hits", "us/er", "reader", DateTimeOffset.UnixEpoch);
        var foreign = Hit.New("", "user", "reader", DateTimeOffset.UnixEpoch);

        await queue.SendAsync([
            Message(good),
            Message(good),
            Message(bad),
            Message(foreign),
            new ServiceBusMessage("no hit"),
        ]);
        await Eventually.TrueAsync(() => queue.Counts.DeadLetter == 3);
        await Eventually.TrueAsync(async () => (await tracking.CountersAsync()).Stored == 2);
        Assert.Equal(1, await tracking.CountAsync("hits")); // the good one came twice

        var reasons = new[]
        {
            await queue.TakeDeadLetterAsync(),
            await queue.TakeDeadLetterAsync(),
            await queue.TakeDeadLetterAsync(),
        };
        Assert.All(reasons, message => Assert.Equal("Unreadable", message.DeadLetterReason));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(99)]
    public async Task A_hit_that_the_table_refuses_does_not_take_the_others_with_it(int refused)
    {
        await using var queue = await QueueUnderTest.StartAsync();
        await using var tracking = await StartAsync(queue);

        await queue.SendAsync(
            Enumerable
                .Range(0, 100)
                .Select(i =>
                    Message(
                        Hit.New("hits", "user", new string('x', i == refused ? 40_000 : 10), DateTimeOffset.UnixEpoch)
                    )
                )
        );
        await Eventually.TrueAsync(() => queue.Counts is { Active: 0, Locked: 0, DeadLetter: 1 });

        var counters = await tracking.CountersAsync();
        Assert.Equal((99, 1), (counters.Stored, counters.Lost));
        Assert.Equal("TableRefuses", (await queue.TakeDeadLetterAsync()).DeadLetterReason);
        Assert.Equal(99, await tracking.CountAsync("hits"));
    }

    [Fact]
    public async Task Hits_are_taken_while_the_table_server_is_away_and_stored_when_it_is_back()
    {
        await using var queue = await QueueUnderTest.StartAsync();
        await using var tracking = await StartAsync(queue);
        await tracking.Azurite.StopAsync();

        for (var i = 0; i < 10; i++)
        {
            using (var response = await tracking.HitAsync("hits", "user"))
                Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }
        await tracking.Azurite.StartServerAsync();

        await Eventually.TrueAsync(async () => await tracking.CountAsync("hits") == 10);
    }

    [Fact]
    public async Task A_broker_that_is_away_is_503()
    {
        await using var queue = await QueueUnderTest.StartAsync();
        await using var tracking = await StartAsync(
            queue,
            new() { ["ServiceBus:SendTimeout"] = "00:00:00.500", ["shutdownTimeoutSeconds"] = "1" }
        );
        await queue.Broker.DisposeAsync();

        using var response = await tracking.HitAsync("hits", "user");

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.NotNull(response.Headers.RetryAfter);
    }

    private static Task<TrackingUnderTest> StartAsync(
        QueueUnderTest queue,
        Dictionary<string, string?>? settings = null
    ) =>
        TrackingUnderTest.StartAsync(
            "Queue",
            queue.Settings.And("Tracking:QueueName", queue.Settings["ServiceBus:QueueName"]).And(settings ?? [])
        );

    private static ServiceBusMessage Message(Hit hit) =>
        new(BinaryData.FromObjectAsJson(hit)) { MessageId = hit.RowKey };
}
