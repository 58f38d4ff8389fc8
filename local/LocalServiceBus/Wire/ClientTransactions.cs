using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The open transactions of one client. Called on the connection's read loop, except for timeouts.</summary>
/// <param name="tryReserve">Adds to the bytes that wait for a commit; returns <c>false</c> if that exceeds the
/// limit.</param>
/// <param name="catchUp">Executes the requests that arrived earlier in the same read.</param>
internal sealed class ClientTransactions(
    ServiceBusNamespace entities,
    int limit,
    Func<long, bool> tryReserve,
    Action<long> release,
    Action catchUp
) : IDisposable
{
    /// <summary>The maximum duration of a transaction, from its first operation. As in Azure.</summary>
    public static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);

    private readonly Lock _gate = new();
    private readonly Dictionary<Guid, Transaction> _open = [];

    public int Count => _open.Count;

    public DeliveryState Declare(object owner)
    {
        lock (_gate)
        {
            if (_open.Count >= limit)
                return new Rejected(ClientErrors.TooManyTransactions(limit));
            var id = Guid.NewGuid();
            _open[id] = new Transaction(id, owner);
            return new Declared(id.ToByteArray());
        }
    }

    public bool IsOpen(byte[] txnId)
    {
        lock (_gate)
            return Find(txnId) is not null;
    }

    /// <param name="expectsResponse"><c>false</c> if the client doesn't wait for the response. A rejected operation then
    /// prevents the commit.</param>
    public DeliveryState Do(
        TransactionalState state,
        QueueRequest step,
        string topLevel,
        DeliveryState outcome,
        bool expectsResponse
    )
    {
        if (Join(state.TxnId, step, topLevel) is not { } error)
            return new TransactionalState(state.TxnId, outcome);
        if (!expectsResponse)
            MarkRollbackOnly(state.TxnId);
        return new Rejected(error);
    }

    /// <summary>Adds an operation to a transaction, unless it's currently impossible.</summary>
    /// <returns>The reason for the rejection; <c>null</c> if the operation was added.</returns>
    public AmqpError? Join(byte[] txnId, QueueRequest step, string topLevel)
    {
        catchUp();
        if (!IsOpen(txnId))
            return ClientErrors.UnknownTransaction;
        var canBeDone = step.Queue.Change(false, () => step.Check(step.Queue.Now));
        lock (_gate)
        {
            if (Find(txnId) is not { } transaction)
                return ClientErrors.UnknownTransaction;
            if (transaction.Validate(step, topLevel) is { } error)
                return error;
            if (!canBeDone)
                return ClientErrors.Of(step);
            if (!tryReserve(step.Size))
                return ClientErrors.TooManyBytes;
            transaction.Add(step, topLevel);
            transaction.End ??= entities.Defects.StartTimer(
                entities.Time,
                "the transaction timer",
                () => RollBack(transaction),
                Timeout
            );
            return null;
        }
    }

    /// <summary>Prevents the commit, because an operation was rejected without the client's knowledge.</summary>
    public void MarkRollbackOnly(byte[] txnId)
    {
        lock (_gate)
            Find(txnId)?.IsRollbackOnly = true;
    }

    /// <returns>The reason why it can't be committed; <c>null</c> on success.</returns>
    public AmqpError? Discharge(Discharge discharge)
    {
        catchUp();
        Transaction? transaction;
        lock (_gate)
        {
            transaction = Find(discharge.TxnId);
            if (transaction is null)
                return ClientErrors.UnknownTransaction;
            _open.Remove(transaction.Id);
        }
        try
        {
            return discharge.Fail ? null : Commit(transaction);
        }
        finally
        {
            Forget(transaction);
        }
    }

    /// <summary>Rolls back all transactions of a coordinator link.</summary>
    public void Close(object owner)
    {
        Transaction[] left;
        lock (_gate)
            left = [.. _open.Values.Where(transaction => transaction.Owner == owner)];
        Array.ForEach(left, RollBack);
    }

    public void Dispose()
    {
        lock (_gate)
        {
            foreach (var transaction in _open.Values)
                transaction.End?.Dispose();
        }
    }

    private Transaction? Find(byte[] txnId) => txnId.Length == 16 ? _open.GetValueOrDefault(new Guid(txnId)) : null;

    private AmqpError? Commit(Transaction transaction)
    {
        if (transaction.IsRollbackOnly)
            return ClientErrors.RollbackOnly;
        var result = Entities.Commit.Run(transaction.Steps, entities.Journal);
        if (result.Rejected is { } step)
            return ClientErrors.RolledBack(step);
        if (!result.IsDone)
            return ClientErrors.Broken;
        entities.Journal.WhenStored(transaction.Complete);
        return null;
    }

    private void RollBack(Transaction transaction)
    {
        bool isOpen;
        lock (_gate)
            isOpen = _open.Remove(transaction.Id);
        if (isOpen)
            Forget(transaction);
    }

    private void Forget(Transaction transaction)
    {
        transaction.End?.Dispose();
        release(transaction.Size);
    }
}

/// <summary>The links of a session that has a coordinator. All must belong to the same queue or topic; to send
/// elsewhere, they send through it.</summary>
internal sealed class TransactionGroup
{
    /// <summary>The queue or topic of the first link; <c>null</c> without links.</summary>
    public string? TopLevel { get; private set; }

    public bool Admits(string topLevel, bool onlySends) =>
        onlySends || TopLevel is null || TopLevel.Equals(topLevel, StringComparison.OrdinalIgnoreCase);

    public void Add(string topLevel) => TopLevel ??= topLevel;
}
