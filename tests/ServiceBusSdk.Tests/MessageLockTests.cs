namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class MessageLockTests(ClockedBus bus) : BusTest(bus), IClassFixture<ClockedBus>
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(10);

    [Theory]
    [InlineData("complete")]
    [InlineData("abandon")]
    [InlineData("defer")]
    [InlineData("dead-letter")]
    [InlineData("renew")]
    public async Task Settlement_and_renewal_fail_after_the_lock_expired(string what)
    {
        var (receiver, message) = await LockAsync();
        bus.Clock.Advance(LockDuration + TimeSpan.FromSeconds(1));

        await FailsAsync(ServiceBusFailureReason.MessageLockLost, () => what switch
            {
                "complete" => receiver.CompleteMessageAsync(message, Cancelled),
                "abandon" => receiver.AbandonMessageAsync(message, cancellationToken: Cancelled),
                "defer" => receiver.DeferMessageAsync(message, cancellationToken: Cancelled),
                "dead-letter" => receiver.DeadLetterMessageAsync(message, cancellationToken: Cancelled),
                _ => receiver.RenewMessageLockAsync(message, Cancelled),
            });

        Assert.Equal(2, (await OneAsync(receiver)).DeliveryCount);
    }

    [Fact]
    public async Task Renewal_restarts_the_lock_duration()
    {
        var (receiver, message) = await LockAsync();
        var before = message.LockedUntil;
        bus.Clock.Advance(TimeSpan.FromSeconds(6));

        await receiver.RenewMessageLockAsync(message, Cancelled);
        bus.Clock.Advance(TimeSpan.FromSeconds(6));

        Assert.Equal(before.AddSeconds(6), message.LockedUntil);
        await receiver.CompleteMessageAsync(message, Cancelled);
        Assert.Null(await receiver.PeekMessageAsync(fromSequenceNumber: 0, Cancelled));
    }

    private async Task<(ServiceBusReceiver Receiver, ServiceBusReceivedMessage Message)> LockAsync()
    {
        var queue = await CreateQueueAsync(options => options.LockDuration = LockDuration);
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);
        return (receiver, await OneAsync(receiver));
    }
}
