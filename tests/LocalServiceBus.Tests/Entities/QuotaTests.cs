namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>The size of a queue and its limit.</summary>
public sealed class QuotaTests
{
    private const int Megabyte = 1024 * 1024;

    [Fact]
    public void Size_of_a_message_includes_overhead_and_dead_letter_reason()
    {
        using var fixture = new QueueFixture();
        fixture.Send(new MessageContent(new byte[100]));
        Assert.Equal(612, fixture.Queue.Counts().SizeInBytes);
        fixture.Send(new MessageContent(new byte[100]) { WireSize = 5000 });
        Assert.Equal(612 + 5512, fixture.Queue.Counts().SizeInBytes);
        fixture.Queue.Purge();
        Assert.Equal(0, fixture.Queue.Counts().SizeInBytes);

        fixture.Send("a");
        var plain = fixture.Queue.Counts().SizeInBytes;
        fixture.Queue.Settle(fixture.Receive(1).Locks[0], new Settlement.DeadLettered("why", new string('x', 10_000)));
        Assert.InRange(fixture.DeadLetters.Counts().SizeInBytes, plain + 20_000, plain + 21_000);
        fixture.DeadLetters.Purge();
        Assert.Equal(0, fixture.DeadLetters.Counts().SizeInBytes);
    }

    [Fact]
    public void Dead_letters_count_toward_the_quota_of_their_queue()
    {
        using var fixture = new QueueFixture(options => options with { MaxSizeInMegabytes = 1 });
        for (var i = 0; i < 4; i++)
        {
            fixture.Send(new MessageContent(new byte[256 * 1024]));
            fixture.Queue.Settle(fixture.Receive(1).Locks[0], new Settlement.DeadLettered());
        }
        Assert.Equal(QueueResult.QuotaExceeded, fixture.Queue.Enqueue([QueueFixture.Content("a")], new long[1]));
        fixture.DeadLetters.Purge();
        fixture.Send("a");
    }

    [Fact]
    public void Remembered_ids_count_until_they_are_forgotten()
    {
        using var fixture = new QueueFixture(options =>
            options with
            {
                RequiresDuplicateDetection = true,
                MaxSizeInMegabytes = 1,
            }
        );
        for (var i = 0; i < 4; i++)
        {
            fixture.Send(new MessageContent(new byte[1]) { MessageId = $"{i}-{new string('x', Megabyte / 8)}" });
            fixture.Queue.Purge();
        }
        Assert.Equal(QueueResult.QuotaExceeded, fixture.Queue.Enqueue([QueueFixture.Content("a")], new long[1]));
        fixture.Clock.Advance(TimeSpan.FromMinutes(10));
        fixture.Send("a");
        Assert.InRange(fixture.Queue.Counts().SizeInBytes, 1, 1000);
    }

    [Theory]
    [InlineData(30_000, true)]
    [InlineData(33_000, false)]
    public void Changed_properties_may_occupy_up_to_64_KB(int characters, bool fits)
    {
        var text = new string('x', characters);
        Settlement[] settlements =
        [
            new Settlement.Abandoned(Properties(text)),
            new Settlement.Deferred(Properties(text)),
            new Settlement.DeadLettered("why", null, Properties(text)),
            new Settlement.DeadLettered(Description: text),
        ];
        foreach (var settlement in settlements)
        {
            using var fixture = new QueueFixture();
            fixture.Send("a");
            var held = fixture.Receive(1).Locks[0];
            Assert.Equal(
                fits ? QueueResult.Done : QueueResult.PropertiesTooLarge,
                fixture.Queue.Settle(held, settlement)
            );
            Assert.Equal(fits ? 0 : 1, fixture.Queue.Counts().Locked);
        }
    }

    [Fact]
    public void Property_changed_repeatedly_counts_once()
    {
        using var fixture = new QueueFixture();
        fixture.Send("a");
        var receiver = fixture.Receive(4);
        for (var i = 0; i < 3; i++)
        {
            var abandoned = new Settlement.Abandoned(Properties(new string((char)('a' + i), 20_000)));
            Assert.Equal(QueueResult.Done, fixture.Queue.Settle(receiver.Locks[i], abandoned));
        }
        Assert.InRange(fixture.Queue.Counts().SizeInBytes, 40_000, 41_000);
        fixture.Queue.Settle(receiver.Locks[3], new Settlement.DeadLettered("why"));
        Assert.InRange(fixture.DeadLetters.Counts().SizeInBytes, 40_000, 41_000);
        Assert.Equal(0, fixture.Queue.Counts().SizeInBytes);
    }

    [Fact]
    public void Properties_must_have_simple_values()
    {
        using var fixture = new QueueFixture();
        fixture.Send("a");
        var held = fixture.Receive(1).Locks[0];
        foreach (var value in (object[])[new List<object?>(), new Dictionary<object, object?>(), new int[1]])
        {
            Assert.Equal(
                QueueResult.PropertiesTooLarge,
                fixture.Queue.Settle(held, new Settlement.Abandoned(Properties(value)))
            );
        }

        Assert.Equal(
            QueueResult.Done,
            fixture.Queue.Settle(held, new Settlement.Abandoned(Properties(new byte[1000])))
        );
    }

    [Fact]
    public void All_queues_share_the_brokers_memory_limit()
    {
        using var entities = new ServiceBusNamespace(TimeProvider.System) { Memory = new MemoryUse(Megabyte) };
        var first = entities.Create(new QueueOptions("first"));
        var second = entities.Create(new QueueOptions("second"));
        var large = new MessageContent(new byte[Megabyte / 2]);
        first.Send(large);
        Assert.Equal(QueueResult.Done, second.Enqueue([large, QueueFixture.Content("a")], new long[2]));
        Assert.Equal(QueueResult.BrokerFull, first.Enqueue([QueueFixture.Content("a")], new long[1]));
        second.Settle(new TestReceiver(second, 1).Locks[0], Settlement.Complete);
        first.Send(large);
        first.Settle(new TestReceiver(first, 1).Locks[0], new Settlement.DeadLettered());
        Assert.Equal(QueueResult.BrokerFull, second.Enqueue([QueueFixture.Content("a")], new long[1]));
        entities.Delete("first");
        second.Send("a");
    }

    [Fact]
    public void Deleted_queues_release_all_their_memory()
    {
        using var entities = new ServiceBusNamespace(TimeProvider.System) { Memory = new MemoryUse(Megabyte) };
        for (var i = 0; i < 40; i++)
        {
            var queue = entities.Create(new QueueOptions("orders"));
            MessageContent[] messages = [new(new byte[70 * 1024]), new(new byte[60 * 1024])];
            Assert.Equal(QueueResult.Done, queue.Enqueue(messages, new long[2]));
            foreach (var held in new TestReceiver(queue, 2).Locks)
                queue.Settle(held, Settlement.Complete);
            entities.Delete("orders");
        }
    }

    [Fact]
    public void Changes_in_a_released_store_are_not_counted()
    {
        var memory = new MemoryUse(Megabyte);
        var share = new MemoryShare(memory);
        var store = new MessageStore(share);
        var messages = Enumerable
            .Range(1, 3)
            .Select(number => new QueuedMessage(new MessageContent(new byte[Megabyte / 2]), DateTimeOffset.UnixEpoch)
            {
                SequenceNumber = number,
            })
            .ToList();
        foreach (var message in messages)
            store.Add(message, MessageState.Locked);
        Assert.True(memory.IsExhausted);
        share.Release();
        store.Remove(messages[0]);
        Assert.False(memory.IsExhausted);
    }

    private static Dictionary<string, object?> Properties(object value) => new() { ["x"] = value };
}
