using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client sends requests to <c>$cbs</c> or <c>$management</c>. A request is done when its reply was sent, or
/// nobody is there to take it: a client that takes none gets no more credit.</summary>
/// <param name="node">Address of the node, which its reply links share.</param>
/// <param name="handle">Answers a request, which may be part of a transaction, at once or later, by calling what it is given.</param>
internal sealed class RequestLink(
    string node,
    ReplyLinks replies,
    Action<AmqpMessage, TransactionalState?, Action<AmqpMessage>> handle,
    ulong maxSize,
    Action<AmqpLink> onDetached
) : InboundLink<AmqpMessage>(window: 100, maxSize)
{
    protected override AmqpError TooLarge => Refusal.RequestTooLarge(node, MaxSize);

    public override void OnDetached(AmqpLink link, AmqpError? error) => onDetached(link);

    protected override AmqpMessage Read(in IncomingDelivery delivery)
    {
        var request = AmqpMessage.Decode(delivery.Payload);
        IncomingMessage.RequireId(IdOf(request));
        return request;
    }

    protected override void Take(in IncomingDelivery delivery, AmqpMessage? read, AmqpError? error)
    {
        // Before the answer: the SDK for Python drops a reply to a request that it does not know to have arrived.
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

    /// <summary>The type of the id is the client's choice; the correlation id of the reply is the same value again.</summary>
    private static object? IdOf(AmqpMessage request) =>
        request.Properties?.MessageId ?? request.Properties?.CorrelationId;
}
