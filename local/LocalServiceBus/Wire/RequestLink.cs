using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client sends requests to <c>$cbs</c> or <c>$management</c>. A request occupies credit
/// until its reply was sent or dropped, which slows down clients that don't receive replies.</summary>
/// <param name="handle">Handles a request, which can be part of a transaction, and calls its last argument with the
/// reply, immediately or later.</param>
internal sealed class RequestLink(
    string node,
    ReplyLinks replies,
    Action<AmqpMessage, TransactionalState?, Action<AmqpMessage>> handle,
    ulong maxSize,
    Action<AmqpLink> onDetached
) : InboundLink<AmqpMessage>(window: 100, maxSize)
{
    protected override AmqpError TooLarge => ClientErrors.RequestTooLarge(node, MaxSize);

    public override void OnDetached(AmqpLink link, AmqpError? error) => onDetached(link);

    protected override AmqpMessage Read(in IncomingDelivery delivery)
    {
        var request = AmqpMessage.Decode(delivery.Payload);
        IncomingMessage.RequireId(IdOf(request));
        return request;
    }

    protected override void Take(in IncomingDelivery delivery, AmqpMessage? read, AmqpError? error)
    {
        // Before the reply: the SDK for Python drops replies to requests that aren't acknowledged yet.
        if (!delivery.Settled)
            Link.Settle(delivery.DeliveryId, read is null ? new Rejected(error) : Accepted.Instance);
        if (read is null)
        {
            OnDone();
            return;
        }
        var (replyTo, id) = (read.Properties?.ReplyTo, IdOf(read));
        handle(read, delivery.State as TransactionalState, reply =>
        {
            reply.Properties = new MessageProperties { To = replyTo, CorrelationId = id };
            replies.Send(node, replyTo, Link.Session, reply, OnDone);
        });
    }

    private static object? IdOf(AmqpMessage request) =>
        request.Properties?.MessageId ?? request.Properties?.CorrelationId;
}
