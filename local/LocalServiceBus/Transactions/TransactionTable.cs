using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Transactions;

/// <summary>The open transactions of one connection. One that takes too long is rolled back.</summary>
internal sealed class TransactionTable(
    TimeProvider time,
    Defects defects,
    int most,
    Func<long, bool> tryKeep,
    Action<long> giveBack
) : IDisposable
{
    /// <summary>So long a transaction may take from its first step on; as the service has it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private readonly Lock _gate = new();
    private readonly Dictionary<Guid, Transaction> _open = [];

    public int Count => _open.Count;

    /// <returns>The id of a new transaction; null: there are too many.</returns>
    public Guid? Declare(object owner)
    {
        lock (_gate)
        {
            if (_open.Count >= most)
                return null;
            var transaction = new Transaction(Guid.NewGuid(), owner);
            _open[transaction.Id] = transaction;
            return transaction.Id;
        }
    }

    public bool IsOpen(Guid id)
    {
        lock (_gate)
            return _open.ContainsKey(id);
    }

    /// <summary>Makes the step a part of the transaction, unless it could not be done even now.</summary>
    /// <returns>Null: it is one.</returns>
    public TransactionRefusal? Join(Guid id, QueueRequest step, string topLevel)
    {
        if (!IsOpen(id))
            return new TransactionRefusal.Unknown();
        var canBeDone = step.Queue.Change(false, () => step.Check(step.Queue.Now));
        lock (_gate)
        {
            if (!_open.TryGetValue(id, out var transaction))
                return new TransactionRefusal.Unknown();
            if (transaction.Refuse(step, topLevel) is { } refusal)
                return refusal;
            if (!canBeDone)
                return new TransactionRefusal.Refused(step);
            if (!tryKeep(step.Size))
                return new TransactionRefusal.TooManyBytes();
            transaction.Add(step, topLevel);
            transaction.End ??= time.CreateTimer(
                _ => defects.Guard("the timer of transactions", () => RollBack(transaction)),
                null,
                Patience,
                Timeout.InfiniteTimeSpan
            );
            return null;
        }
    }

    /// <summary>See <see cref="Transaction.IsDoomed"/>.</summary>
    public void Doom(Guid id)
    {
        lock (_gate)
        {
            if (_open.TryGetValue(id, out var transaction))
                transaction.IsDoomed = true;
        }
    }

    /// <summary>Ends the transaction. To be called on the thread that also joins, so that nothing joins meanwhile.</summary>
    /// <returns>Null: it was done as asked.</returns>
    public TransactionRefusal? Discharge(Guid id, bool fail, IJournal journal)
    {
        Transaction? transaction;
        lock (_gate)
        {
            if (!_open.Remove(id, out transaction))
                return new TransactionRefusal.Unknown();
        }
        try
        {
            var refusal = fail ? null : Commit.Run(transaction, journal);
            if (!fail && refusal is null)
                journal.WhenKept(transaction.Complete);
            return refusal;
        }
        finally
        {
            Forget(transaction);
        }
    }

    /// <summary>Rolls back what the owner has not discharged.</summary>
    public void Close(object owner)
    {
        Transaction[] left;
        lock (_gate)
            left = [.. _open.Values.Where(transaction => transaction.Owner == owner)];
        foreach (var transaction in left)
            RollBack(transaction);
    }

    public void Dispose()
    {
        lock (_gate)
        {
            foreach (var transaction in _open.Values)
                transaction.End?.Dispose();
        }
    }

    private void RollBack(Transaction transaction)
    {
        lock (_gate)
        {
            if (!_open.Remove(transaction.Id))
                return;
        }
        Forget(transaction);
    }

    private void Forget(Transaction transaction)
    {
        transaction.End?.Dispose();
        giveBack(transaction.Size);
    }
}
