using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client begins and ends transactions (AMQP 1.0 §4.1). Those that are open at its end are rolled
/// back.</summary>
internal sealed class CoordinatorLink(ClientTransactions transactions) : IReceiverHandler
{
    // So many commands may wait for their answers; credit for more comes in halves of it.
    private const uint Window = 100;

    private const ulong LargestCommand = 1024;

    private uint _done;

    public ReceiverLink Accept(AmqpSession session, Attach attach, Symbol[] capabilities)
    {
        var link = session.AcceptReceiver(attach, new Attach
        {
            SndSettleMode = attach.SndSettleMode,
            RcvSettleMode = attach.RcvSettleMode,
            Source = attach.Source ?? new Source(),
            Coordinator = new Coordinator { Capabilities = capabilities },
            MaxMessageSize = LargestCommand,
        }, this);
        link.SetCredit(Window);
        return link;
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var (id, isSettled) = (delivery.DeliveryId, delivery.Settled);
        switch (TryDecode(delivery, out var error))
        {
            case null:
                Answer(link, id, isSettled, new Rejected(error));
                break;
            case Discharge discharge:
                transactions.Discharge(discharge, answer => Answer(link, id, isSettled, answer));
                break;
            // Nobody would learn the id of a transaction that is declared without a wish for an answer.
            default:
                Answer(link, id, isSettled, isSettled ? Released.Instance : transactions.Declare(this));
                break;
        }
    }

    public void OnDetached(ReceiverLink link, AmqpError? error) => transactions.Close(this);

    private static TransactionCommand? TryDecode(in IncomingDelivery delivery, out AmqpError? error)
    {
        try
        {
            error = delivery.IsOversized ? Refusal.RequestTooLarge("the coordinator", LargestCommand) : null;
            return error is null ? TransactionCommand.Read(AmqpMessage.Decode(delivery.Payload).Value) : null;
        }
        catch (AmqpException exception)
        {
            error = exception.Error;
            return null;
        }
    }

    private void Answer(ReceiverLink link, uint deliveryId, bool isSettled, DeliveryState answer)
    {
        if (!isSettled)
            link.Settle(deliveryId, answer);
        if (Interlocked.Increment(ref _done) % (Window / 2) == 0)
            link.AddCredit(Window / 2);
    }
}
