using DroneDelivery.LocalServiceBus.Entities;
using EntityStatus = Azure.Messaging.ServiceBus.Administration.EntityStatus;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class FailureReasonTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task An_entity_that_is_not_there_is_not_found()
    {
        var absent = NewName("queue");

        await FailsAsync(ServiceBusFailureReason.MessagingEntityNotFound, () => SendAsync(absent, 1));
        await FailsAsync(ServiceBusFailureReason.MessagingEntityNotFound, () => Receiver(absent).ReceiveMessageAsync(Patience, Cancelled));
        await FailsAsync(
            ServiceBusFailureReason.MessagingEntityNotFound,
            () => Client.AcceptSessionAsync(absent, "a", cancellationToken: Cancelled));
    }

    [Fact]
    public async Task A_queue_is_disabled_for_senders_or_for_receivers()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, 1);
        var properties = (await Admin.GetQueueAsync(queue, Cancelled)).Value;
        properties.Status = EntityStatus.SendDisabled;
        await Admin.UpdateQueueAsync(properties, Cancelled);
        await FailsAsync(ServiceBusFailureReason.MessagingEntityDisabled, () => SendAsync(queue, 1));
        await OneAsync(Receiver(queue));

        properties.Status = EntityStatus.ReceiveDisabled;
        await Admin.UpdateQueueAsync(properties, Cancelled);
        await SendAsync(queue, 1);
        await FailsAsync(ServiceBusFailureReason.MessagingEntityDisabled, () => Receiver(queue).ReceiveMessageAsync(Patience, Cancelled));

        properties.Status = EntityStatus.Active;
        await Admin.UpdateQueueAsync(properties, Cancelled);
        Assert.Equal("1", (await OneAsync(Receiver(queue))).MessageId);
    }

    [Fact]
    public async Task A_queue_that_is_full_takes_nothing_until_there_is_room()
    {
        var queue = NewName("queue");
        TheBus.Local.Broker.Entities.Create(new QueueOptions(queue) { MaxSizeInMegabytes = 1 });
        var sender = Client.CreateSender(queue);
        var body = new byte[200_000];
        var error = await FailsAsync(ServiceBusFailureReason.QuotaExceeded, async () =>
        {
            for (var sent = 0; sent < 10; sent++)
                await sender.SendMessageAsync(new ServiceBusMessage(body), Cancelled);
        });
        var receiver = Receiver(queue);
        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);
        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);

        await sender.SendMessageAsync(new ServiceBusMessage(body), Cancelled);

        Assert.False(error.IsTransient);
    }

    [Fact]
    public async Task Who_has_the_wrong_key_neither_sends_nor_receives()
    {
        var queue = await CreateQueueAsync();
        // The SDK tries again even then.
        var options = new ServiceBusClientOptions { RetryOptions = { MaxRetries = 0 } };
        var key = ServiceBusConnectionStringProperties.Parse(TheBus.ConnectionString).SharedAccessKey;
        var another = TheBus.ConnectionString.Replace(key, Convert.ToBase64String(new byte[32]), StringComparison.Ordinal);
        await using var client = new ServiceBusClient(another, options);

        await Assert.ThrowsAsync<UnauthorizedAccessException>(
            () => client.CreateSender(queue).SendMessageAsync(new ServiceBusMessage("x"), Cancelled));
        await Assert.ThrowsAsync<UnauthorizedAccessException>(
            () => client.CreateReceiver(queue).ReceiveMessageAsync(Patience, Cancelled));
    }
}
