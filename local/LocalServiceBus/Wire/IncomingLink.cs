using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client sends to a queue. A message is accepted after it was added to the queue or to a
/// transaction.</summary>
/// <param name="via">The queue or topic through which a transaction sends; <c>null</c> for the queue itself.</param>
internal sealed class IncomingLink(ClientConnection client, Queue queue, string? via)
    : InboundLink<MessageContent[]>(window: 1000, (ulong)queue.Options.MaxMessageSize)
{
    private static readonly Symbol MaxBatchSize = "com.microsoft:max-message-batch-size";

    protected override int Headroom => IncomingMessage.Headroom;

    protected override AmqpError TooLarge => ClientErrors.TooLarge(queue);

    public override void OnDetached(AmqpLink link, AmqpError? error) => client.OnDetached(link);

    protected override Attach Reply(Attach attach)
    {
        var reply = base.Reply(attach);
        reply.Properties = new() { [MaxBatchSize] = reply.MaxMessageSize };
        if (TransferDestination.Of(attach) is { } destination)
            reply.Properties[TransferDestination.Name] = destination;
        return reply;
    }

    protected override MessageContent[] Read(in IncomingDelivery delivery) =>
        IncomingMessage.Read(
            delivery.Payload,
            delivery.MessageFormat,
            queue.Options.RequiresDuplicateDetection,
            queue.Options.ReadsSessions,
            delivery.Buffer
        );

    protected override void Take(in IncomingDelivery delivery, MessageContent[]? read, AmqpError? error)
    {
        if (delivery.State is TransactionalState transaction)
            Respond(delivery.DeliveryId, delivery.Settled, SendIn(transaction, read, error, delivery.Settled));
        else if (read is not null)
            client.Requests.Add(new Send(this, queue, delivery.DeliveryId, delivery.Settled, read));
        else
            Respond(delivery.DeliveryId, delivery.Settled, new Rejected(error));
    }

    private DeliveryState SendIn(
        TransactionalState transaction,
        MessageContent[]? messages,
        AmqpError? error,
        bool isSettled
    )
    {
        if (client.Transactions is not { } transactions)
            return new Rejected(error ?? ClientErrors.UnknownTransaction);
        if (messages is not null)
        {
            var step = new SendRequest(queue, messages);
            return transactions.Do(
                transaction,
                step,
                via ?? queue.TopLevel,
                Accepted.Instance,
                expectsResponse: !isSettled
            );
        }
        if (isSettled)
            transactions.MarkRollbackOnly(transaction.TxnId);
        return new Rejected(error);
    }

    private sealed class Send(
        IncomingLink owner,
        Queue queue,
        uint deliveryId,
        bool isSettled,
        MessageContent[] messages
    ) : SendRequest(queue, messages)
    {
        public override void Complete() =>
            owner.Respond(deliveryId, isSettled, IsRejected ? new Rejected(ClientErrors.Of(this)) : Accepted.Instance);
    }
}

/// <summary>The link property for sending through another entity. It contains the destination; the link's target is the
/// other entity.</summary>
internal static class TransferDestination
{
    public static readonly Symbol Name = "com.microsoft:transfer-destination-address";

    /// <summary>Returns the destination; <c>null</c> if it's the link's target.</summary>
    public static string? Of(Attach attach) => attach.Properties?.GetValueOrDefault(Name) as string;
}
