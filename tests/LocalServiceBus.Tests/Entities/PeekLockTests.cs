namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class PeekLockTests : IDisposable
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);
    private readonly QueueFixture _fixture = new(options => options with { MaxDeliveryCount = 3 });

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void The_end_of_a_lock_is_a_time_and_not_the_timer_that_comes_after_it()
    {
        _fixture.Send("a");
        MessageLock? held = null;
        QueueResult? result = null;
        // Set before the queue's own timer for the same moment, and so fired before it.
        using var early = _fixture.Clock.CreateTimer(
            _ => result = _fixture.Queue.Settle(held!, Settlement.Complete), null, LockDuration, Timeout.InfiniteTimeSpan);
        held = Assert.Single(_fixture.Receive(1).Locks);
        _fixture.Clock.Advance(LockDuration);
        Assert.Equal(QueueResult.LockLost, result);
        Assert.Equal(1, _fixture.Queue.Counts().ExpiredLocks);
    }

    [Fact]
    public void Settlement_in_the_last_moment_of_the_lock_holds()
    {
        _fixture.Send("a");
        var held = Assert.Single(_fixture.Receive(1).Locks);
        _fixture.Clock.Advance(LockDuration - TimeSpan.FromTicks(1));
        Assert.Equal(QueueResult.Done, _fixture.Queue.Settle(held, Settlement.Complete));
    }

    [Fact]
    public void Expired_messages_return_to_their_places_before_newer_ones()
    {
        _fixture.Send("a", "b", "c");
        _fixture.Receive(2);
        _fixture.Send("d");
        _fixture.Clock.Advance(LockDuration);
        Assert.Equal(["a", "b", "c", "d"], _fixture.Receive(4).Texts);
    }

    [Fact]
    public void A_refused_message_stays_first_and_counts_as_never_handed_out()
    {
        _fixture.Send("a", "b");
        var gone = _fixture.Receive(0);
        _fixture.Queue.AddReceiver(ReceiveMode.PeekLock, (_, _) => HandOver.Refused, Fails).Signal();
        Assert.Empty(gone.Texts);
        Assert.Equal(0, _fixture.Queue.Counts().Outgoing);
        Assert.Equal(["a", "b"], _fixture.Receive(2).Texts);
    }

    [Fact]
    public void A_signal_during_a_refusal_is_not_lost()
    {
        _fixture.Send("a");
        QueueReceiver? receiver = null;
        var calls = 0;
        receiver = _fixture.Queue.AddReceiver(ReceiveMode.PeekLock, (_, _) =>
        {
            if (calls++ > 0)
                return HandOver.SentEnough;
            receiver!.Signal();
            return HandOver.Refused;
        }, Fails);
        receiver.Signal();
        Assert.Equal(2, calls);
        Assert.Equal(1, _fixture.Queue.Counts().Outgoing);
    }

    [Fact]
    public void Receivers_take_turns_whatever_their_credit()
    {
        var big = _fixture.Receive(1000);
        var small = _fixture.Receive(10);
        _fixture.Send([.. Enumerable.Range(0, 20).Select(i => $"{i}")]);
        Assert.Equal(10, small.Texts.Count);
        Assert.Equal(10, big.Texts.Count);
    }

    /// <summary>For receivers that never throw.</summary>
    private static void Fails(Exception error) => throw new InvalidOperationException("It did throw.", error);
}
