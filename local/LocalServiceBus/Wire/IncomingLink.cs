using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client sends to a queue. A message is accepted once the queue has it.</summary>
internal sealed class IncomingLink(Queue queue, Action<AmqpLink> onDetached) : IReceiverHandler
{
    private const uint Window = 1000;

    private static readonly Symbol MaxBatchSize = "com.microsoft:max-message-batch-size";

    public ReceiverLink Accept(AmqpSession session, Attach attach)
    {
        var limit = (ulong)queue.Options.MaxMessageSize;
        var link = session.AcceptReceiver(attach, new Attach
        {
            SndSettleMode = attach.SndSettleMode,
            RcvSettleMode = attach.RcvSettleMode,
            Source = attach.Source ?? new Source(),
            Target = new Target { Address = attach.Target!.Address },
            MaxMessageSize = limit,
            Properties = new Dictionary<Symbol, object?> { [MaxBatchSize] = limit },
        }, this);
        link.SetCredit(Window);
        return link;
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var answer = Take(delivery);
        if (!delivery.Settled)
            link.Settle(delivery.DeliveryId, answer);
        if (link.Credit <= Window / 2)
            link.SetCredit(Window);
    }

    public void OnDisposition(ReceiverLink link, uint deliveryId, DeliveryState? state, bool settled)
    {
        // Every delivery was settled when it came; there is nothing left that the sender could change.
    }

    public void OnFlow(ReceiverLink link)
    {
        // What the sender still has is its own affair.
    }

    public void OnDetached(ReceiverLink link, AmqpError? error) => onDetached(link);

    private DeliveryState Take(in IncomingDelivery delivery)
    {
        // A disposition, not the end of the link: SDKs for JavaScript hear only of the first while they send.
        if (delivery.IsOversized)
            return new Rejected(Refusal.TooLarge(queue));
        if (delivery.State is TransactionalState)
            return new Rejected(Refusal.Transactions);
        if (TryRead(delivery, out var error) is not { } messages)
            return new Rejected(error);
        return queue.Enqueue(messages, new long[messages.Length]) switch
        {
            EnqueueResult.Accepted => Accepted.Instance,
            EnqueueResult.Failed => new Rejected(Refusal.Failed(queue.Name)),
            EnqueueResult.BrokerFull => new Rejected(Refusal.BrokerFull),
            EnqueueResult.QuotaExceeded => new Rejected(Refusal.QueueFull(queue)),
            EnqueueResult.Disabled => new Rejected(Refusal.Disabled(queue.Name)),
            var result => throw new UnreachableException($"An answer of the queue that is {result}."),
        };
    }

    private MessageContent[]? TryRead(in IncomingDelivery delivery, out AmqpError? error)
    {
        try
        {
            error = null;
            return IncomingMessage.Read(delivery.Payload, delivery.MessageFormat, queue.Options.RequiresDuplicateDetection);
        }
        catch (AmqpException exception)
        {
            error = exception.Error;
            return null;
        }
    }
}
