using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Transactions;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The transactions of one client, and what its links do in them. To be used on the read loop only.</summary>
/// <param name="requests">That may have come ahead of what is done here.</param>
internal sealed class ClientTransactions(
    AmqpConnection connection,
    ServiceBusNamespace entities,
    ReadRequests requests,
    int most
) : IDisposable
{
    private static readonly Symbol[] Capabilities =
    [
        "amqp:local-transactions",
        "amqp:multi-txns-per-ssn",
        "amqp:multi-ssns-per-txn",
    ];

    // Few connections have any.
    private TransactionTable? _table;

    /// <summary>Answers a client that wants to control transactions.</summary>
    /// <returns>Why it cannot; null: it can.</returns>
    public AmqpError? Attach(AmqpSession session, Attach attach)
    {
        if (attach.Role == LinkRole.Receiver)
            return Refusal.CoordinatorSendsNothing;
        if (
            (attach.Coordinator!.Capabilities ?? []).Except(Capabilities).FirstOrDefault() is
            { Value: not null } missing
        )
        {
            return Refusal.NoSuchTransactions(missing);
        }

        _table ??= new TransactionTable(entities.Time, entities.Defects, most, connection.TryKeep, connection.GiveBack);
        session.State ??= new TransactionGroup();
        new CoordinatorLink(this, Capabilities).Accept(session, attach);
        return null;
    }

    public DeliveryState Declare(CoordinatorLink owner) =>
        _table!.Declare(owner) is { } id
            ? new Declared(id.ToByteArray())
            : new Rejected(Refusal.TooManyTransactions(most));

    /// <param name="answer">Called once; at once, or on another thread when what was committed is kept.</param>
    public void Discharge(Discharge discharge, Action<DeliveryState> answer)
    {
        requests.Do();
        var error = IdOf(discharge.TxnId) is { } id
            ? Refusal.Of(_table!.Discharge(id, discharge.Fail, entities.Journal), isCommit: true)
            : Refusal.UnknownTransaction;
        if (error is not null)
            answer(new Rejected(error));
        else if (discharge.Fail)
            answer(Accepted.Instance);
        else
            entities.Journal.WhenKept(() => Answer(answer));
    }

    public void Close(CoordinatorLink owner) => _table!.Close(owner);

    /// <summary>Makes the step a part of a transaction.</summary>
    /// <param name="outcome">What the client is told when the step is a part.</param>
    /// <param name="isHeard">Whether the client learns the answer. If not, and the step is refused, the transaction cannot be
    /// committed.</param>
    public DeliveryState Do(
        TransactionalState state,
        QueueRequest step,
        string topLevel,
        DeliveryState outcome,
        bool isHeard
    )
    {
        if (Join(state, step, topLevel) is not { } error)
            return new TransactionalState(state.TxnId, outcome);
        if (!isHeard)
            Doom(state);
        return new Rejected(error);
    }

    /// <summary>Something of the transaction was refused, and the client does not learn it.</summary>
    public void Doom(TransactionalState state)
    {
        if (IdOf(state.TxnId) is { } id)
            _table?.Doom(id);
    }

    /// <returns>Why the step cannot be a part of the transaction; null: it is one.</returns>
    public AmqpError? Join(TransactionalState state, QueueRequest step, string topLevel)
    {
        // The step may be about what came ahead of it.
        requests.Do();
        return _table is null || IdOf(state.TxnId) is not { } id
            ? Refusal.UnknownTransaction
            : Refusal.Of(_table.Join(id, step, topLevel));
    }

    public bool IsOpen(TransactionalState state) =>
        _table is not null && IdOf(state.TxnId) is { } id && _table.IsOpen(id);

    public void Dispose() => _table?.Dispose();

    private static Guid? IdOf(byte[] txnId) => txnId.Length == 16 ? new Guid(txnId) : null;

    private void Answer(Action<DeliveryState> answer)
    {
        try
        {
            answer(Accepted.Instance);
        }
        catch
        {
            // The client would wait as long as the connection lives.
            connection.Abort();
            throw;
        }
    }
}

/// <summary>What the links of a session with a coordinator have in common: they receive from one queue or topic only, and what they send
/// elsewhere goes through it.</summary>
internal sealed class TransactionGroup
{
    /// <summary>That of the first link; null: there was none.</summary>
    public string? TopLevel { get; private set; }

    /// <returns>Whether the link can be one of the group.</returns>
    public bool Admits(string topLevel, bool onlySends) =>
        onlySends || TopLevel is null || TopLevel.Equals(topLevel, StringComparison.OrdinalIgnoreCase);

    public void Add(string topLevel) => TopLevel ??= topLevel;
}
