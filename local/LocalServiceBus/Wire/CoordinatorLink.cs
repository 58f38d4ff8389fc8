using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client begins and ends transactions (AMQP 1.0 §4.1). Those that are open at its end are rolled
/// back.</summary>
internal sealed class CoordinatorLink(ClientTransactions transactions, Symbol[] capabilities)
    : TakingLink<TransactionCommand>(window: 100, LargestCommand)
{
    private const ulong LargestCommand = 1024;

    protected override AmqpError TooLarge => Refusal.RequestTooLarge("the coordinator", LargestCommand);

    public override void OnDetached(AmqpLink link, AmqpError? error) => transactions.Close(this);

    protected override Attach Reply(Attach attach)
    {
        var reply = base.Reply(attach);
        reply.Coordinator = new Coordinator { Capabilities = capabilities };
        return reply;
    }

    protected override TransactionCommand Read(in IncomingDelivery delivery) =>
        TransactionCommand.Read(AmqpMessage.Decode(delivery.Payload).Value);

    protected override void Take(in IncomingDelivery delivery, TransactionCommand? read, AmqpError? error)
    {
        var (id, isSettled) = (delivery.DeliveryId, delivery.Settled);
        if (read is null)
            Answer(id, isSettled, new Rejected(error));
        else if (read is Discharge discharge)
            transactions.Discharge(discharge, answer => Answer(id, isSettled, answer));
        else // Nobody would learn the id of a transaction that is declared without a wish for an answer.
            Answer(id, isSettled, isSettled ? Released.Instance : transactions.Declare(this));
    }
}
