namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class ManyLocksTests
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Expired_locks_redeliver_100_000_messages_once_and_in_order()
    {
        const int Count = 100_000;
        using var fixture = new QueueFixture();
        fixture.Send([.. Enumerable.Repeat("a", Count)]);
        var receiver = fixture.Receive(Count);
        await Eventually.TrueAsync(() => fixture.Queue.Counts().Outgoing == Count);
        receiver.Grant(Count);
        fixture.Clock.Advance(LockDuration);
        await Eventually.TrueAsync(() => fixture.Queue.Counts().Redelivered == Count);

        Assert.Equal(
            Enumerable.Range(1, Count).Select(number => (long)number),
            receiver.Locks[Count..].Select(it => it.SequenceNumber)
        );
        Assert.All(receiver.Messages, message => Assert.Equal(1, message.DeliveryCount));
        var counts = fixture.Queue.Counts();
        Assert.Equal((Count, Count, 0), (counts.ExpiredLocks, counts.Locked, counts.Active));
    }

    [Fact]
    public void Later_but_shorter_lock_expires_first()
    {
        using var fixture = new QueueFixture();
        fixture.Send("long", "short");
        var receiver = fixture.Receive(1);
        fixture.Queue.Update(fixture.Queue.Options with { LockDuration = LockDuration / 3 });
        receiver.Grant(1);
        receiver.Grant(2);

        fixture.Clock.Advance(LockDuration / 3);
        Assert.Equal(["long", "short", "short"], receiver.Texts);
        fixture.Queue.Settle(receiver.Locks[^1], Settlement.Complete);
        fixture.Clock.Advance(LockDuration / 3 * 2);
        Assert.Equal(["long", "short", "short", "long"], receiver.Texts);
    }
}
