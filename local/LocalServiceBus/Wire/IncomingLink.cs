using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Transactions;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client sends to a queue. A message is accepted once the queue, or a transaction, has it.</summary>
/// <param name="queue">Where messages go.</param>
/// <param name="requests">Of the connection.</param>
/// <param name="transactions">Of the connection.</param>
/// <param name="via">The queue or topic through which messages of a transaction go; null: the queue itself.</param>
/// <param name="onDetached">Told the link when it is gone.</param>
internal sealed class IncomingLink(
    Queue queue, ReadRequests requests, ClientTransactions transactions, string? via, Action<AmqpLink> onDetached) : IReceiverHandler
{
    // So many messages may be under way or wait for their answers; credit for more comes in halves of it.
    private const uint Window = 1000;

    private static readonly Symbol MaxBatchSize = "com.microsoft:max-message-batch-size";

    private ReceiverLink _link = null!;
    private uint _done;

    public ReceiverLink Accept(AmqpSession session, Attach attach)
    {
        var limit = (ulong)queue.Options.MaxMessageSize;
        var link = _link = session.AcceptReceiver(attach, new Attach
        {
            SndSettleMode = attach.SndSettleMode,
            RcvSettleMode = attach.RcvSettleMode,
            Source = attach.Source ?? new Source(),
            Target = new Target { Address = attach.Target!.Address },
            MaxMessageSize = limit,
            Properties = PropertiesFor(attach, limit),
        }, this);
        link.Headroom = IncomingMessage.Headroom;
        attach.Forget();
        link.SetCredit(Window);
        return link;
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var messages = TryTake(delivery, out var error);
        if (delivery.State is TransactionalState transaction)
            Answer(delivery.DeliveryId, delivery.Settled, SendIn(transaction, messages, error, delivery.Settled));
        else if (messages is not null)
            requests.Add(queue, new Send(this, delivery.DeliveryId, delivery.Settled, messages));
        else
            Answer(delivery.DeliveryId, delivery.Settled, new Rejected(error));
    }

    public void OnDetached(ReceiverLink link, AmqpError? error) => onDetached(link);

    private static Dictionary<Symbol, object?> PropertiesFor(Attach attach, ulong limit)
    {
        var properties = new Dictionary<Symbol, object?> { [MaxBatchSize] = limit };
        if (TransferDestination.Of(attach) is { } destination)
            properties[TransferDestination.Name] = destination;
        return properties;
    }

    private DeliveryState SendIn(TransactionalState transaction, MessageContent[]? messages, AmqpError? error, bool isSettled)
    {
        if (messages is not null)
        {
            var step = new SendStep(queue, messages);
            return transactions.Do(transaction, step, via ?? queue.TopLevel, Accepted.Instance, isHeard: !isSettled);
        }
        if (isSettled)
            transactions.Doom(transaction);
        return new Rejected(error);
    }

    private void Answer(uint deliveryId, bool isSettled, DeliveryState answer)
    {
        if (!isSettled)
            _link.Settle(deliveryId, answer);
        if (Interlocked.Increment(ref _done) % (Window / 2) == 0)
            _link.AddCredit(Window / 2);
    }

    /// <returns>Null: refused, for the reason in <paramref name="error"/>.</returns>
    private MessageContent[]? TryTake(in IncomingDelivery delivery, out AmqpError? error)
    {
        // A disposition, not the end of the link: SDKs for JavaScript hear only of the first while they send.
        error = delivery.IsOversized ? Refusal.TooLarge(queue) : null;
        if (error is not null)
            return null;
        try
        {
            return IncomingMessage.Read(delivery, queue.Options.RequiresDuplicateDetection, queue.Options.ReadsSessions);
        }
        catch (AmqpException exception)
        {
            error = exception.Error;
            return null;
        }
    }

    private DeliveryState AnswerTo(EnqueueResult result) =>
        result == EnqueueResult.Accepted ? Accepted.Instance : new Rejected(Refusal.Of(result, queue));

    private sealed class Send(IncomingLink owner, uint deliveryId, bool isSettled, MessageContent[] messages)
        : SendRequest(messages)
    {
        public override void Complete() => owner.Answer(deliveryId, isSettled, owner.AnswerTo(Result));
    }
}
