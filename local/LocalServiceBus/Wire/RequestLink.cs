using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client sends requests to <c>$cbs</c> or <c>$management</c>.</summary>
/// <param name="node">Address of the node, which its reply links share.</param>
/// <param name="replies">Of the connection.</param>
/// <param name="handle">Answers a request, which may be part of a transaction, at once or later, by calling what it is given.</param>
/// <param name="maxSize">Bytes of the largest request.</param>
/// <param name="onDetached">Told the link when it is gone.</param>
internal sealed class RequestLink(
    string node,
    ReplyLinks replies,
    Action<AmqpMessage, TransactionalState?, Action<AmqpMessage>> handle,
    ulong maxSize,
    Action<AmqpLink> onDetached) : IReceiverHandler
{
    // So many requests may wait for their replies to be taken; credit for more comes in halves of it.
    private const uint Window = 100;

    private uint _done;

    public ReceiverLink Accept(AmqpSession session, Attach attach)
    {
        var link = session.AcceptReceiver(attach, new Attach
        {
            SndSettleMode = attach.SndSettleMode,
            RcvSettleMode = attach.RcvSettleMode,
            Source = attach.Source ?? new Source(),
            Target = new Target { Address = attach.Target!.Address },
            MaxMessageSize = maxSize,
        }, this);
        link.SetCredit(Window);
        return link;
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var request = TryDecode(delivery, out var error);
        // Before the answer: the SDK for Python drops a reply to a request that it does not know to have arrived.
        if (!delivery.Settled)
            link.Settle(delivery.DeliveryId, request is null ? new Rejected(error) : Accepted.Instance);
        if (request is not null)
            Answer(link, request, delivery.State as TransactionalState);
        else
            OnDone(link);
    }

    public void OnDetached(ReceiverLink link, AmqpError? error) => onDetached(link);

    private AmqpMessage? TryDecode(in IncomingDelivery delivery, out AmqpError? error)
    {
        try
        {
            error = delivery.IsOversized ? Refusal.RequestTooLarge(node, maxSize) : null;
            if (error is not null)
                return null;
            var request = AmqpMessage.Decode(delivery.Payload);
            IncomingMessage.RequireId(IdOf(request));
            return request;
        }
        catch (AmqpException exception)
        {
            error = exception.Error;
            return null;
        }
    }

    /// <summary>The type of the id is the client's choice; the correlation id of the reply is the same value again.</summary>
    private static object? IdOf(AmqpMessage request) => request.Properties?.MessageId ?? request.Properties?.CorrelationId;

    private void Answer(ReceiverLink link, AmqpMessage request, TransactionalState? transaction)
    {
        var replyTo = request.Properties?.ReplyTo;
        var id = IdOf(request);
        handle(request, transaction, reply =>
        {
            reply.Properties = new MessageProperties { To = replyTo, CorrelationId = id };
            replies.Send(node, replyTo, link.Session, reply, () => OnDone(link));
        });
    }

    /// <summary>A request is done when its reply was sent, or nobody is there to take it: a client that takes none gets no
    /// more credit.</summary>
    private void OnDone(ReceiverLink link)
    {
        if (Interlocked.Increment(ref _done) % (Window / 2) == 0)
            link.AddCredit(Window / 2);
    }
}
