namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class PeekLockTests : IDisposable
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);
    private readonly QueueFixture _fixture = new(options => options with { MaxDeliveryCount = 3 });

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Lock_expires_at_its_time_even_if_the_timer_is_late()
    {
        var moment = TimeSpan.FromTicks(1);
        _fixture.Send("a", "b");
        MessageLock? held = null;
        QueueResult? result = null;
        // Set before the queue's own timer for the same moment, and therefore fires first.
        using var early = _fixture.Clock.CreateTimer(
            _ => result = _fixture.Queue.Settle(held!, Settlement.Complete),
            null,
            LockDuration,
            Timeout.InfiniteTimeSpan
        );
        var locks = _fixture.Receive(2).Locks;
        held = locks[1];
        _fixture.Clock.Advance(LockDuration - moment);
        Assert.Equal(QueueResult.Done, _fixture.Queue.Settle(locks[0], Settlement.Complete));
        _fixture.Clock.Advance(moment);
        Assert.Equal(QueueResult.LockLost, result);
        Assert.Equal(1, _fixture.Queue.Counts().ExpiredLocks);
    }

    [Fact]
    public void Message_that_the_link_rejects_stays_first_and_undelivered()
    {
        _fixture.Send("a", "b");
        _fixture.Queue.AddReceiver(ReceiveMode.PeekLock, (_, _) => DeliveryResult.NotSent, Fails).Signal();
        Assert.Equal(0, _fixture.Queue.Counts().Outgoing);
        Assert.Equal(["a", "b"], _fixture.Receive(2).Texts);
    }

    [Fact]
    public void Signal_during_a_rejected_delivery_is_not_lost()
    {
        _fixture.Send("a");
        QueueReceiver? receiver = null;
        var calls = 0;
        receiver = _fixture.Queue.AddReceiver(
            ReceiveMode.PeekLock,
            (_, _) =>
            {
                if (calls++ > 0)
                    return DeliveryResult.SentEnough;
                receiver!.Signal();
                return DeliveryResult.NotSent;
            },
            Fails
        );
        receiver.Signal();
        Assert.Equal(2, calls);
        Assert.Equal(1, _fixture.Queue.Counts().Outgoing);
    }

    [Fact]
    public void Receivers_take_turns_regardless_of_their_credit()
    {
        var big = _fixture.Receive(1000);
        var small = _fixture.Receive(10);
        _fixture.Send([.. Enumerable.Range(0, 20).Select(i => $"{i}")]);
        Assert.Equal(10, small.Texts.Count);
        Assert.Equal(10, big.Texts.Count);
    }

    private static void Fails(Exception error) => throw new InvalidOperationException("Thrown by the test.", error);
}
