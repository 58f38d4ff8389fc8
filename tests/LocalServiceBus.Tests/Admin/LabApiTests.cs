using System.Net;
using System.Text.Json;

namespace DroneDelivery.LocalServiceBus.Tests.Admin;

/// <summary>The broker's additions to the management API of Service Bus.</summary>
public sealed class LabApiTests : BrokerTest
{
    [Fact]
    public async Task Each_counter_reports_its_own_value()
    {
        var clock = new ManualTimeProvider();
        await using var own = await BrokerFixture.StartAsync(
            new LocalServiceBusOptions { Port = 0, TimeProvider = clock },
            Cancel
        );
        MakeCountsDistinct(
            own.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(30) }, "orders"),
            clock
        );

        using var counters = JsonDocument.Parse(
            await _http.GetStringAsync(new Uri(own.Broker.Address, "/$counters"), Cancel)
        );

        var orders = counters.RootElement.GetProperty("queues").GetProperty("orders").EnumerateObject();
        Assert.Equal(
            [
                "incoming 56",
                "outgoing 44",
                "completed 9",
                "abandoned 11",
                "deadLettered 6",
                "lockLost 13",
                "lateCompletes 3",
                "lateDeadLetters 4",
                "expiredLocks 1",
                "redelivered 12",
                "expired 2",
                "purged 0",
                "cancelled 0",
                "duplicates 0",
                "active 8",
                "locked 10",
                "deferred 7",
                "scheduled 14",
                "deadLetter 5",
                "transferDeadLetter 15",
                "activeMessageCount 18",
            ],
            orders
                .Where(counter => counter.Value.ValueKind == JsonValueKind.Number && counter.Name != "sizeInBytes")
                .Select(counter => $"{counter.Name} {counter.Value}")
        );
    }

    [Fact]
    public async Task Purge_of_a_topic_removes_its_undistributed_messages()
    {
        var topic = _broker.Broker.Entities.Create(new QueueOptions("news") { Kind = EntityKind.Topic }).Topic!;
        Fill(topic.Intake, 3, new("x"u8.ToArray()) { ScheduledEnqueueTime = DateTimeOffset.MaxValue });

        Assert.Equal("""{"purged":3}""", (await PostAsync("/news/$purge")).Body);
        Assert.Equal(HttpStatusCode.NotFound, (await PostAsync("/news/$DeadLetterQueue/$purge")).Status);
    }

    private async Task<(HttpStatusCode Status, string Body)> PostAsync(string path)
    {
        using var response = await _http.PostAsync(new Uri(path, UriKind.Relative), null, Cancel);
        return (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel));
    }

    private static void MakeCountsDistinct(Queue queue, ManualTimeProvider clock)
    {
        Fill(queue, 2, new("x"u8.ToArray()) { TimeToLive = TimeSpan.FromSeconds(1) });
        clock.Advance(TimeSpan.FromSeconds(1));
        Fill(queue, 14, new("x"u8.ToArray()) { ScheduledEnqueueTime = DateTimeOffset.MaxValue });
        Fill(queue, 40);
        Settle(queue, 9, Settlement.Complete);
        var late = Assert.Single(new TestReceiver(queue, 1).Locks);
        clock.Advance(TimeSpan.FromSeconds(30));
        for (var i = 0; i < 3; i++)
            queue.Settle(late, Settlement.Complete);
        for (var i = 0; i < 4; i++)
            queue.Settle(late, new Settlement.DeadLettered());
        for (var i = 0; i < 6; i++)
            queue.Settle(late, new Settlement.Abandoned());
        Settle(queue, 6, new Settlement.DeadLettered());
        Settle(queue.DeadLetterQueue!, 1, Settlement.Complete);
        Fill(queue.TransferDeadLetterQueue!, 15);
        Settle(queue, 11, new Settlement.Abandoned());
        Settle(queue, 7, new Settlement.Deferred());
        Assert.Equal(10, new TestReceiver(queue, 10).Locks.Count);
    }

    private static void Settle(Queue queue, int count, Settlement settlement)
    {
        foreach (var held in new TestReceiver(queue, count).Locks)
            Assert.Equal(QueueResult.Done, queue.Settle(held, settlement));
    }

    private static void Fill(Queue queue, int count, MessageContent? content = null)
    {
        var messages = Enumerable.Repeat(content ?? new MessageContent("x"u8.ToArray()), count).ToArray();
        Assert.Equal(QueueResult.Done, queue.Enqueue(messages, new long[count]));
    }
}
