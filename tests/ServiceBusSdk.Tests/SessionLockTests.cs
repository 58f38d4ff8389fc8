namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SessionLockTests(ClockedBus bus) : BusTest(bus), IClassFixture<ClockedBus>
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(10);

    [Fact]
    public async Task Receiver_closes_and_message_is_redelivered_when_lock_expires()
    {
        var (queue, receiver, message) = await LockAsync();

        bus.Clock.Advance(LockDuration + TimeSpan.FromSeconds(1));
        await Eventually.TrueAsync(() => receiver.IsClosed);
        // While the SDK closes its own side, it reports a lost lock.
        await Eventually.TrueAsync(async () =>
            await Record.ExceptionAsync(() => receiver.CompleteMessageAsync(message, Cancelled))
            is ObjectDisposedException
        );

        await Assert.ThrowsAsync<ObjectDisposedException>(() => receiver.RenewSessionLockAsync(Cancelled));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => receiver.GetSessionStateAsync(Cancelled));
        var next = await Client.AcceptSessionAsync(queue, "a", cancellationToken: Cancelled);
        Assert.Equal(2, (await OneAsync(next)).DeliveryCount);
    }

    [Fact]
    public async Task Renewal_restarts_the_session_lock_and_its_message_locks()
    {
        var (_, receiver, message) = await LockAsync();
        var before = receiver.SessionLockedUntil;
        bus.Clock.Advance(TimeSpan.FromSeconds(6));

        await receiver.RenewSessionLockAsync(Cancelled);
        bus.Clock.Advance(TimeSpan.FromSeconds(6));

        Assert.InRange(
            receiver.SessionLockedUntil,
            before.AddSeconds(6).AddMilliseconds(-1),
            before.AddSeconds(6).AddMilliseconds(1)
        );
        await receiver.CompleteMessageAsync(message, Cancelled);
        Assert.False(receiver.IsClosed);
        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.RenewMessageLockAsync(message, Cancelled));
    }

    private async Task<(
        string Queue,
        ServiceBusSessionReceiver Receiver,
        ServiceBusReceivedMessage Message
    )> LockAsync()
    {
        var queue = await CreateSessionQueueAsync(LockDuration);
        await SendToSessionAsync(queue, "a", "1");
        var receiver = await Client.AcceptSessionAsync(queue, "a", cancellationToken: Cancelled);
        return (queue, receiver, await OneAsync(receiver));
    }
}
