namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>Timestamps, numbers, counts, and memory of a queue.</summary>
public sealed class BookkeepingTests : IDisposable
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly QueueFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Dead_letter_keeps_enqueued_time_and_original_number()
    {
        _fixture.Send("a");
        var scheduled = Schedule("b", Second);
        _fixture.Clock.Advance(Second);
        var due = _fixture.Clock.GetUtcNow();
        var held = _fixture.Receive(2).Locks[1];
        Assert.NotEqual(scheduled, held.SequenceNumber);
        _fixture.Clock.Advance(Second);
        _fixture.Queue.Settle(held, new Settlement.DeadLettered());
        var dead = Assert.Single(_fixture.DeadLetters.Peek(0, 10));
        Assert.Equal((1L, scheduled, due), (dead.SequenceNumber, dead.EnqueuedSequenceNumber, dead.EnqueuedAt));
    }

    [Fact]
    public void Messages_scheduled_for_the_same_time_keep_their_order()
    {
        string[] texts = [.. Enumerable.Range(0, 50).Select(i => $"{i}")];
        foreach (var text in texts)
            Schedule(text, Second);
        _fixture.Clock.Advance(Second);
        Assert.Equal(texts, _fixture.Receive(100).Texts);
    }

    [Fact]
    public void Cancellation_fails_for_all_when_one_message_is_not_scheduled()
    {
        var numbers = new[] { Schedule("late", 10 * Second), Schedule("early", Second), Schedule("past", -Second) };
        Assert.Equal(["past"], _fixture.Receive(1).Texts);
        _fixture.Clock.Advance(Second);
        Assert.False(_fixture.Queue.CancelScheduled(numbers[..2]));
        Assert.Equal(1, _fixture.Queue.Counts().Scheduled);
    }

    [Fact]
    public void No_deferred_message_is_received_when_one_is_unavailable()
    {
        var number = _fixture.Send(QueueFixture.Content("a"));
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.Deferred());
        var active = _fixture.Send(QueueFixture.Content("b"));
        Assert.Null(_fixture.Queue.ReceiveDeferred([number, active], ReceiveMode.PeekLock));
        Assert.Null(_fixture.Queue.ReceiveDeferred([number, 99], ReceiveMode.PeekLock));
        // Passed twice, it is still one message.
        Assert.Single(_fixture.Queue.ReceiveDeferred([number, number], ReceiveMode.PeekLock)!);
        Assert.Null(_fixture.Queue.ReceiveDeferred([number], ReceiveMode.PeekLock));
        Assert.Equal((2, null), (_fixture.Queue.Counts().Outgoing, _fixture.Queue.Failure));
    }

    [Fact]
    public void Number_canceled_twice_counts_as_one_message()
    {
        var (first, second) = (Schedule("a", Second), Schedule("b", Second));
        Assert.True(_fixture.Queue.CancelScheduled([first, second, first]));
        Assert.Equal(
            (2, 0, null),
            (_fixture.Queue.Counts().Cancelled, _fixture.Queue.Counts().Scheduled, _fixture.Queue.Failure)
        );
    }

    [Fact]
    public void Receiver_that_closes_during_a_delivery_gets_no_other_message()
    {
        var receiver = _fixture.Receive(0);
        receiver.OnDelivered = _ => receiver.Close();
        receiver.Grant(5);
        _fixture.Send("a", "b");
        Assert.Equal(["a"], receiver.Texts);
    }

    [Fact]
    public void Queue_tracks_when_it_was_created_updated_and_accessed()
    {
        var created = _fixture.Clock.GetUtcNow();
        _fixture.Send("a");
        var held = _fixture.Receive(1).Locks[0];
        _fixture.Clock.Advance(Second);
        Assert.Equal(30 * Second, _fixture.DeadLetters.Options.LockDuration);
        _fixture.Queue.Update(_fixture.Queue.Options with { LockDuration = 5 * Second });
        Assert.Equal(5 * Second, _fixture.DeadLetters.Options.LockDuration);
        Assert.Equal(
            (created, created + Second, created),
            (_fixture.Queue.CreatedAt, _fixture.Queue.UpdatedAt, _fixture.Queue.AccessedAt)
        );
        _fixture.Clock.Advance(Second);
        _fixture.Queue.Settle(held, Settlement.Complete);
        Assert.Equal(created + 2 * Second, _fixture.Queue.AccessedAt);
    }

    [Fact]
    public void Message_in_delivery_does_not_expire_in_receive_and_delete()
    {
        var receiver = _fixture.Receive(0, ReceiveMode.ReceiveAndDelete);
        receiver.OnDelivered = _ => _fixture.Clock.Advance(10 * Second);
        receiver.Grant(1);
        _fixture.Send(QueueFixture.Content("a") with { TimeToLive = 5 * Second });
        var counts = _fixture.Queue.Counts();
        Assert.Equal((1, 0, 0), (counts.Completed, counts.ExpiredLocks, counts.Expired));
    }

    [Fact]
    public void Empty_range_of_sequence_numbers_occupies_no_memory()
    {
        var store = new MessageStore(new MemoryShare(new MemoryUse(long.MaxValue)));
        var messages = Enumerable
            .Range(0, 1024)
            .Select(i => new QueuedMessage(QueueFixture.Content("a"), default) { SequenceNumber = i })
            .ToList();
        foreach (var message in messages)
            store.Add(message, MessageState.Active);
        Assert.Equal(4, store.ChunkCount);
        foreach (var message in messages[512..768])
            store.Remove(message);
        Assert.Equal((3, 768), (store.ChunkCount, store.From(0).Count()));
        Assert.Equal(768, store.From(600).First().SequenceNumber);
        foreach (var message in store.From(0).ToList())
            store.Remove(message);
        Assert.InRange(store.ChunkCount, 0, 2);
        Assert.Equal(0, store.Count);
    }

    [Fact]
    public void Dead_letter_reason_overrides_an_earlier_property()
    {
        _fixture.Send("a");
        var before = new Dictionary<string, object?> { ["DeadLetterReason"] = "Guessed", ["by"] = "test" };
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.Abandoned(before));
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.DeadLettered("Unparsable"));
        var dead = Assert.Single(_fixture.DeadLetters.Peek(0, 10));
        Assert.Equal(
            ("Unparsable", "test"),
            (dead.ChangedProperties!["DeadLetterReason"], dead.ChangedProperties["by"])
        );
    }

    [Fact]
    public void Abandoned_dead_letter_stays_in_its_queue()
    {
        _fixture.Send("a");
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.DeadLettered());
        var receiver = new TestReceiver(_fixture.DeadLetters, 1);
        Assert.Equal(
            QueueResult.NotAllowed,
            _fixture.DeadLetters.Settle(receiver.Locks[0], new Settlement.DeadLettered())
        );
        for (var i = 0; i < 20; i++)
        {
            Assert.Equal(QueueResult.Done, _fixture.DeadLetters.Settle(receiver.Locks[^1], new Settlement.Abandoned()));
            receiver.Grant(1);
        }
        Assert.Equal(21, receiver.Texts.Count);
        Assert.Equal(20, receiver.Messages[^1].DeliveryCount);
    }

    private long Schedule(string text, TimeSpan after) =>
        _fixture.Send(QueueFixture.Content(text) with { ScheduledEnqueueTime = _fixture.Clock.GetUtcNow() + after });
}
