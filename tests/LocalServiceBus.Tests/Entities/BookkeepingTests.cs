using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>What a queue writes down about its messages and itself, and nobody notices until it is wrong.</summary>
public sealed class BookkeepingTests : IDisposable
{
    static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    readonly QueueFixture fixture = new();

    public void Dispose() => fixture.Dispose();

    [Fact]
    public void A_dead_letter_tells_when_and_as_which_it_was_sent()
    {
        var sent = fixture.Clock.GetUtcNow();
        fixture.Send("a", "b");
        fixture.Clock.Advance(Second);
        fixture.Queue.Settle(fixture.Receive(2).Locks[1], new Settlement.DeadLettered());
        var dead = Assert.Single(fixture.DeadLetters.Peek(0, 10));
        Assert.Equal((1L, 2L, sent), (dead.SequenceNumber, dead.EnqueuedSequenceNumber, dead.EnqueuedAt));
    }

    [Fact]
    public void A_dead_letter_keeps_the_number_that_its_sender_got_when_it_scheduled_the_message()
    {
        var scheduled = fixture.Send(QueueFixture.Content("a") with { ScheduledEnqueueTime = fixture.Clock.GetUtcNow() + Second });
        fixture.Clock.Advance(Second);
        var held = fixture.Receive(1).Locks[0];
        Assert.NotEqual(scheduled, held.Message.SequenceNumber);
        fixture.Queue.Settle(held, new Settlement.DeadLettered());
        Assert.Equal(scheduled, Assert.Single(fixture.DeadLetters.Peek(0, 10)).EnqueuedSequenceNumber);
    }

    [Fact]
    public void A_deferred_message_that_is_received_was_handed_out_again()
    {
        var number = fixture.Send(QueueFixture.Content("a"));
        fixture.Queue.Settle(fixture.Receive(1).Locks[0], new Settlement.Deferred());
        fixture.Queue.ReceiveDeferred([number], ReceiveMode.PeekLock);
        Assert.Equal(2, fixture.Queue.Counts().Outgoing);
    }

    [Fact]
    public void A_number_that_is_given_twice_is_one_message()
    {
        var due = fixture.Clock.GetUtcNow() + Second;
        var first = fixture.Send(QueueFixture.Content("a") with { ScheduledEnqueueTime = due });
        var second = fixture.Send(QueueFixture.Content("b") with { ScheduledEnqueueTime = due });
        Assert.True(fixture.Queue.CancelScheduled([first, second, first]));
        Assert.Equal((2, 0, null), (fixture.Queue.Counts().Cancelled, fixture.Queue.Counts().Scheduled, fixture.Queue.Failure));

        var deferred = fixture.Send(QueueFixture.Content("c"));
        fixture.Queue.Settle(fixture.Receive(1).Locks[0], new Settlement.Deferred());
        Assert.Single(fixture.Queue.ReceiveDeferred([deferred, deferred], ReceiveMode.PeekLock)!);
        Assert.Null(fixture.Queue.Failure);
    }

    [Fact]
    public void A_message_that_came_back_expires_by_the_timer()
    {
        fixture.Send(QueueFixture.Content("a") with { TimeToLive = 20 * Second });
        fixture.Queue.Settle(fixture.Receive(1).Locks[0], Settlement.Release);
        fixture.Clock.Advance(20 * Second);
        Assert.Equal(1, fixture.Queue.Counts().Expired);
    }

    [Fact]
    public void Late_settlements_are_counted_by_their_kind()
    {
        fixture.Send("a");
        var held = fixture.Receive(1).Locks[0];
        fixture.Clock.Advance(30 * Second);
        Settlement[] late = [Settlement.Complete, new Settlement.DeadLettered(), new Settlement.DeadLettered(), new Settlement.Abandoned()];
        foreach (var settlement in late) fixture.Queue.Settle(held, settlement);
        var counts = fixture.Queue.Counts();
        Assert.Equal((4, 1, 2), (counts.LockLost, counts.LateCompletes, counts.LateDeadLetters));
    }

    [Fact]
    public void A_receiver_that_closes_with_a_message_under_way_gets_no_other()
    {
        var receiver = fixture.Receive(0);
        receiver.OnDelivered = _ => receiver.Close();
        receiver.Grant(5);
        fixture.Send("a", "b");
        Assert.Equal(["a"], receiver.Texts);
    }

    [Fact]
    public void A_dead_letter_queue_locks_as_its_queue_does_also_after_an_update()
    {
        Assert.Equal(30 * Second, fixture.DeadLetters.Options.LockDuration);
        fixture.Queue.Update(fixture.Queue.Options with { LockDuration = 5 * Second });
        Assert.Equal(5 * Second, fixture.DeadLetters.Options.LockDuration);
    }

    [Fact]
    public void A_queue_knows_when_it_was_created_changed_and_used()
    {
        var created = fixture.Clock.GetUtcNow();
        fixture.Send("a");
        var held = fixture.Receive(1).Locks[0];
        fixture.Clock.Advance(Second);
        fixture.Queue.Update(fixture.Queue.Options);
        Assert.Equal((created, created + Second, created), (fixture.Queue.CreatedAt, fixture.Queue.UpdatedAt, fixture.Queue.AccessedAt));
        fixture.Clock.Advance(Second);
        fixture.Queue.Settle(held, Settlement.Complete);
        Assert.Equal(created + 2 * Second, fixture.Queue.AccessedAt);
    }

    [Fact]
    public void In_receive_and_delete_a_message_under_way_does_not_expire()
    {
        var receiver = fixture.Receive(0, ReceiveMode.ReceiveAndDelete);
        receiver.OnDelivered = _ => fixture.Clock.Advance(10 * Second);
        receiver.Grant(1);
        fixture.Send(QueueFixture.Content("a") with { TimeToLive = 5 * Second });
        var counts = fixture.Queue.Counts();
        Assert.Equal((1, 0, 0), (counts.Completed, counts.ExpiredLocks, counts.Expired));
    }

    [Fact]
    public void Messages_without_an_id_are_no_duplicates()
    {
        using var detecting = new QueueFixture(options => options with { RequiresDuplicateDetection = true });
        foreach (var id in (string?[])[null, null, "", ""])
            Assert.NotEqual(0, detecting.Send(QueueFixture.Content("a") with { MessageId = id }));
    }

    [Fact]
    public void What_is_left_of_many_deadlines_falls_due()
    {
        var due = fixture.Clock.GetUtcNow() + Second;
        var numbers = new List<long>();
        for (var i = 0; i < 10_000; i++) numbers.Add(fixture.Send(QueueFixture.Content("a") with { ScheduledEnqueueTime = due }));
        Assert.True(fixture.Queue.CancelScheduled([.. numbers.Where(number => number % 10 != 0)]));
        fixture.Clock.Advance(Second);
        Assert.Equal((1000, 0), (fixture.Queue.Counts().Active, fixture.Queue.Counts().Scheduled));
    }

    [Fact]
    public void Messages_that_expired_before_a_late_timer_are_passed_over_at_once()
    {
        var receiver = fixture.Receive(0);
        var handedOut = -1;
        // Set before the queue's own timer for the same moment, and so fired before it.
        using var early = fixture.Clock.CreateTimer(_ =>
        {
            receiver.Grant(5);
            handedOut = receiver.Texts.Count;
        }, null, 5 * Second, Timeout.InfiniteTimeSpan);
        foreach (var text in (string[])["a", "b", "c"]) fixture.Send(QueueFixture.Content(text) with { TimeToLive = 5 * Second });
        fixture.Send("d");
        fixture.Clock.Advance(5 * Second);
        Assert.Equal(1, handedOut);
        Assert.Equal(["d"], receiver.Texts);
    }

    [Fact]
    public void A_stretch_of_numbers_without_messages_keeps_no_memory()
    {
        var store = new MessageStore(new MemoryUse(long.MaxValue));
        var messages = Enumerable.Range(0, 1024)
            .Select(i => new QueuedMessage(QueueFixture.Content("a"), default) { SequenceNumber = i })
            .ToList();
        foreach (var message in messages) store.Add(message, MessageState.Active);
        Assert.Equal(4, store.ChunkCount);
        foreach (var message in messages[512..768]) store.Remove(message);
        Assert.Equal((3, 768), (store.ChunkCount, store.From(0).Count()));
    }
}
