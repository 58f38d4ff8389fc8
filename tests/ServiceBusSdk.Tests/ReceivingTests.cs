namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class ReceivingTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task What_is_received_and_deleted_is_gone_and_has_no_lock()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, 3);
        var options = new ServiceBusReceiverOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete };
        var receiver = Client.CreateReceiver(queue, options);

        var messages = await ManyAsync(receiver, 3);

        Assert.Equal(["1", "2", "3"], Bodies(messages));
        Assert.All(messages, message => Assert.Equal(default, message.LockedUntil));
        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.CompleteMessageAsync(messages[0], Cancelled));
        Assert.Null(await receiver.PeekMessageAsync(fromSequenceNumber: 0, Cancelled));
    }

    [Fact]
    public async Task A_peek_shows_messages_in_every_state_and_counts_as_no_delivery()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, 3);
        var hour = TimeProvider.System.GetUtcNow().AddHours(1);
        await Client.CreateSender(queue).ScheduleMessageAsync(new ServiceBusMessage("scheduled"), hour, Cancelled);
        var receiver = Receiver(queue);
        await receiver.DeferMessageAsync(await OneAsync(receiver), cancellationToken: Cancelled);
        await OneAsync(receiver);

        var peeked = await Receiver(queue).PeekMessagesAsync(10, cancellationToken: Cancelled);

        Assert.Equal(
            [
                ("1", ServiceBusMessageState.Deferred), ("2", ServiceBusMessageState.Active), ("3", ServiceBusMessageState.Active),
                ("scheduled", ServiceBusMessageState.Scheduled),
            ],
            peeked.Select(message => (message.Body.ToString(), message.State)).OrderBy(message => message.Item1, StringComparer.Ordinal));
        Assert.Equal(1, (await OneAsync(receiver)).DeliveryCount);
    }
}
