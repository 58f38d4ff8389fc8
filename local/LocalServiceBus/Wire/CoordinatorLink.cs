using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The link to the coordinator, which declares and discharges transactions (AMQP 1.0 §4.1). When it's
/// detached, its open transactions are rolled back.</summary>
internal sealed class CoordinatorLink(ClientConnection client, ClientTransactions transactions, IJournal journal)
    : InboundLink<TransactionCommand>(window: 100, MaxCommandSize)
{
    private const ulong MaxCommandSize = 1024;

    private static readonly Symbol[] Capabilities =
    [
        "amqp:local-transactions",
        "amqp:multi-txns-per-ssn",
        "amqp:multi-ssns-per-txn",
    ];

    protected override AmqpError TooLarge => ClientErrors.RequestTooLarge("the coordinator", MaxCommandSize);

    public static AmqpError? Validate(Attach attach)
    {
        if (attach.Role == LinkRole.Receiver)
            return ClientErrors.CoordinatorSendsNothing;
        var missing = (attach.Coordinator!.Capabilities ?? []).Except(Capabilities).FirstOrDefault();
        return missing.Value is null ? null : ClientErrors.UnsupportedCapability(missing);
    }

    public override void OnDetached(AmqpLink link, AmqpError? error) => transactions.Close(this);

    protected override Attach Reply(Attach attach)
    {
        var reply = base.Reply(attach);
        reply.Coordinator = new Coordinator { Capabilities = Capabilities };
        return reply;
    }

    protected override TransactionCommand Read(in IncomingDelivery delivery) =>
        TransactionCommand.Read(AmqpMessage.Decode(delivery.Payload).Value);

    protected override void Take(in IncomingDelivery delivery, TransactionCommand? read, AmqpError? error)
    {
        var (id, isSettled) = (delivery.DeliveryId, delivery.Settled);
        if (read is null)
            Respond(id, isSettled, new Rejected(error));
        else if (read is Discharge discharge)
            Discharge(discharge, id, isSettled);
        else // A client that doesn't wait for the response would never learn the id of its transaction.
            Respond(id, isSettled, isSettled ? Released.Instance : transactions.Declare(this));
    }

    private void Discharge(Discharge discharge, uint id, bool isSettled)
    {
        if (transactions.Discharge(discharge) is { } error)
            Respond(id, isSettled, new Rejected(error));
        else if (discharge.Fail)
            Respond(id, isSettled, Accepted.Instance);
        else
            journal.WhenStored(() => client.TryRespond(id, id => Respond(id, isSettled, Accepted.Instance)));
    }
}
