namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class QueueTests
{
    [Fact]
    public void Missing_ids_and_ids_that_differ_in_case_are_not_duplicates()
    {
        using var fixture = new QueueFixture(options => options with { RequiresDuplicateDetection = true });
        fixture.Send("a", "A", "a");
        Assert.Equal(["a", "A"], fixture.PeekTexts());
        foreach (var id in (string?[])[null, null, "", ""])
            Assert.NotEqual(0, fixture.Send(QueueFixture.Content("b") with { MessageId = id }));
    }

    [Fact]
    public void Peeked_message_does_not_change_later()
    {
        using var fixture = new QueueFixture();
        fixture.Send("a");
        var peeked = fixture.Queue.Peek(0, 1)[0];
        fixture.Queue.Settle(
            fixture.Receive(1).Locks[0],
            new Settlement.Abandoned(new Dictionary<string, object?> { ["color"] = "red" })
        );
        Assert.Equal((0, null, MessageState.Active), (peeked.DeliveryCount, peeked.ChangedProperties, peeked.State));
    }

    [Fact]
    public void Drain_waits_for_remaining_messages_when_the_link_is_blocked()
    {
        using var fixture = new QueueFixture();
        var (sent, drained) = (0, 0);
        var hasRoom = false;
        var receiver = fixture.Queue.AddReceiver(ReceiveMode.PeekLock, Deliver, Assert.Null, () => drained++);
        fixture.Send("a", "b", "c");
        receiver.SignalDrain();
        receiver.SignalDrain();
        Assert.Equal((1, 0), (sent, drained));
        fixture.Send("d");
        Assert.Equal((1, 0), (sent, drained));
        hasRoom = true;
        receiver.Signal();
        Assert.Equal((4, 1), (sent, drained));
        fixture.Send("e");
        Assert.Equal((5, 1), (sent, drained));

        DeliveryResult Deliver(QueuedMessage message, MessageLock? held)
        {
            if (sent > 0 && !hasRoom)
                return DeliveryResult.NotSent;
            sent++;
            return hasRoom ? DeliveryResult.SentWantsMore : DeliveryResult.SentEnough;
        }
    }

    [Fact]
    public void Closed_receiver_is_not_notified_of_an_empty_queue()
    {
        using var fixture = new QueueFixture();
        fixture.Send("a");
        var receiver = fixture.Queue.AddReceiver(
            ReceiveMode.PeekLock,
            (_, _) => DeliveryResult.NotSent,
            Assert.Null,
            () => Assert.Fail("It is closed.")
        );
        receiver.SignalDrain();
        receiver.Close();
        receiver.SignalDrain();
        fixture.Queue.Purge();
        fixture.Send("b");
        Assert.Equal(["b"], fixture.Receive(2).Texts);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Drain_ends_when_the_last_message_is_deleted(bool purge)
    {
        using var fixture = new QueueFixture();
        fixture.Send("a");
        var drained = 0;
        var receiver = fixture.Queue.AddReceiver(
            ReceiveMode.PeekLock,
            (_, _) => DeliveryResult.NotSent,
            Assert.Null,
            () => drained++
        );
        receiver.SignalDrain();
        Assert.Equal(0, drained);
        Assert.Equal(1, purge ? fixture.Queue.Purge() : fixture.Queue.DeleteActive(1, DateTimeOffset.MaxValue));
        Assert.Equal(1, drained);
    }

    [Fact]
    public void Purge_removes_all_messages_once()
    {
        using var fixture = new QueueFixture();
        for (var i = 0; i < 3 * Queue.MaxPerHold; i++)
            fixture.Send("a");
        Assert.Equal(3 * Queue.MaxPerHold, fixture.Queue.Purge());
        Assert.Equal(0, fixture.Queue.Purge());
        fixture.Send("b");
        Assert.Equal(["b"], fixture.PeekTexts());
    }

    [Fact]
    public void Message_whose_delivery_always_fails_is_dead_lettered()
    {
        using var fixture = new QueueFixture(options => options with { MaxDeliveryCount = 3 });
        fixture.Send("a");
        for (var i = 0; i < 3; i++)
        {
            var broken = fixture.Receive(0);
            broken.OnDelivered = _ => throw new InvalidOperationException("broken");
            broken.Grant(1);
        }
        fixture.Send("b");
        Assert.Equal(["b"], fixture.Receive(2).Texts);
        Assert.Equal(["a"], fixture.PeekTexts(fixture.DeadLetters));
    }

    [Fact]
    public void Queue_can_be_deleted_during_a_delivery()
    {
        using var fixture = new QueueFixture();
        // More than one chunk of the store, so that the message's own chunk is gone when the delivery ends.
        fixture.Send([.. Enumerable.Range(0, 2000).Select(i => $"{i}")]);
        var receiver = fixture.Receive(0, ReceiveMode.ReceiveAndDelete);
        receiver.OnDelivered = _ => fixture.DeleteQueue();
        receiver.Grant(10);
        Assert.Equal(["0"], receiver.Texts);
        Assert.Null(receiver.Failure);
        var counts = fixture.Queue.Counts();
        Assert.Equal((0, 0, 0, 0), (counts.Active, counts.Locked, counts.Completed, counts.SizeInBytes));
    }

    [Fact]
    [Trait("tier", "nightly")]
    public async Task Cost_of_operations_does_not_grow_with_locked_messages()
    {
        // A sweep or scan over all locks would make the ratio about 100.
        // Keeps slow code, compiled before tiering, out of the first measurement.
        await CostPerOperation(100_000, rounds: 5);
        var few = await CostPerOperation(1_000, rounds: 5);
        // Many rounds, because only one must be undisturbed: the machine may be busy for a while.
        var many = await CostPerOperation(100_000, rounds: 50, enough: few * 20);
        Assert.True(many < few * 20, $"{few} ns with 1,000 locked, {many} ns with 100,000 locked");
    }

    /// <summary>
    /// Returns the cost in the cheapest round, and stops after a round below <paramref name="enough"/>.
    /// </summary>
    private static async Task<double> CostPerOperation(int locked, int rounds, double enough = 0)
    {
        using var fixture = new QueueFixture();
        var content = QueueFixture.Content("a");
        var receiver = fixture.Receive(0);
        for (var i = 0; i < locked; i++)
            fixture.Send(content);
        receiver.Grant(locked);
        // Counted after the delivery has ended. From here on, no other thread uses the queue.
        await Eventually.TrueAsync(() => fixture.Queue.Counts().Outgoing == locked);

        var best = double.MaxValue;
        for (var round = 0; round < rounds && best >= enough; round++)
        {
            var watch = System.Diagnostics.Stopwatch.StartNew();
            for (var i = 0; i < 200; i++)
                Exercise(fixture, receiver, content, receiver.Locks[locked / 2 + round * 200 + i - 500]);
            best = Math.Min(best, watch.Elapsed.TotalNanoseconds / 200);
        }
        return best;
    }

    /// <summary>Performs one abandon, redelivery, renewal, completion, peek, and send.</summary>
    private static void Exercise(QueueFixture fixture, TestReceiver receiver, MessageContent content, MessageLock held)
    {
        fixture.Queue.RenewLock(held.Token);
        fixture.Queue.Settle(held, new Settlement.Abandoned());
        receiver.Grant(1);
        fixture.Queue.Settle(receiver.Locks[^1], Settlement.Complete);
        fixture.Queue.Peek(held.SequenceNumber, 1);
        fixture.Send(content);
        receiver.Grant(1);
    }
}
