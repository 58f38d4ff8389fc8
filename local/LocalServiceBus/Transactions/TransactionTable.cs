using System.Diagnostics;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Transactions;

/// <summary>The open transactions of one connection. One that takes too long is rolled back.</summary>
internal sealed class TransactionTable : IDisposable
{
    /// <summary>So long a transaction may take from its first step on; as the service has it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private readonly Lock _gate = new();
    private readonly Dictionary<Guid, Transaction> _open = [];
    private readonly LinkedList<Transaction> _begun = []; // in the order of their ends
    private readonly MonotonicClock _clock;
    private readonly DueTimer _timer;
    private readonly int _most;
    private readonly Func<long, bool> _tryKeep;
    private readonly Action<long> _giveBack;

    public TransactionTable(TimeProvider time, Defects defects, int most, Func<long, bool> tryKeep, Action<long> giveBack)
    {
        _clock = new MonotonicClock(time);
        _timer = new DueTimer(_clock, () => defects.Guard("the timer of transactions", OnDue));
        _most = most;
        _tryKeep = tryKeep;
        _giveBack = giveBack;
    }

    public int Count => _open.Count;

    /// <returns>The id of a new transaction; null: there are too many.</returns>
    public Guid? Declare(object owner)
    {
        lock (_gate)
        {
            if (_open.Count >= _most)
                return null;
            var transaction = new Transaction(Guid.NewGuid(), owner);
            _open[transaction.Id] = transaction;
            return transaction.Id;
        }
    }

    public bool IsOpen(Guid id)
    {
        lock (_gate)
            return Find(id) is not null;
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
            if (Find(id) is not { } transaction)
                return new TransactionRefusal.Unknown();
            if (transaction.Refuse(step, topLevel) is { } refusal)
                return refusal;
            if (!canBeDone)
                return new TransactionRefusal.Refused(step);
            if (!_tryKeep(step.Size))
                return new TransactionRefusal.TooManyBytes();
            transaction.Add(step, topLevel);
            if (transaction.Place is null)
                Begin(transaction);
            return null;
        }
    }

    /// <summary>See <see cref="Transaction.IsDoomed"/>.</summary>
    public void Doom(Guid id)
    {
        lock (_gate)
        {
            if (Find(id) is { } transaction)
                transaction.IsDoomed = true;
        }
    }

    /// <summary>Ends the transaction. To be called on the thread that also joins, so that nothing joins meanwhile.</summary>
    /// <returns>Null: it was done as asked.</returns>
    public TransactionRefusal? Discharge(Guid id, bool fail, IJournal journal)
    {
        Transaction transaction;
        lock (_gate)
        {
            if (Find(id) is not { } found)
                return new TransactionRefusal.Unknown();
            transaction = found;
            Remove(transaction);
        }
        try
        {
            return fail ? null : Commit.Run(transaction, journal);
        }
        finally
        {
            _giveBack(transaction.Size);
        }
    }

    /// <summary>Rolls back what the owner has not discharged.</summary>
    public void Close(object owner)
    {
        lock (_gate)
        {
            foreach (var transaction in _open.Values.Where(transaction => transaction.Owner == owner).ToList())
                RollBack(transaction);
        }
    }

    public void Dispose() => _timer.Dispose();

    /// <summary>The timer may be late.</summary>
    private Transaction? Find(Guid id)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        return _open.TryGetValue(id, out var transaction) && _clock.Now < transaction.EndsAt ? transaction : null;
    }

    private void Begin(Transaction transaction)
    {
        transaction.EndsAt = _clock.Now + Patience;
        transaction.Place = _begun.AddLast(transaction);
        _timer.ArmNoLaterThan(transaction.EndsAt);
    }

    private void RollBack(Transaction transaction)
    {
        Remove(transaction);
        _giveBack(transaction.Size);
    }

    private void Remove(Transaction transaction)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        _open.Remove(transaction.Id);
        if (transaction.Place is { } place)
            _begun.Remove(place);
    }

    private void OnDue()
    {
        lock (_gate)
        {
            _timer.Rearm(null); // it waits for nothing now, also if the clock fails
            var now = _clock.Now;
            while (_begun.First?.Value is { } oldest && oldest.EndsAt <= now)
                RollBack(oldest);
            _timer.Rearm(_begun.First?.Value.EndsAt);
        }
    }
}
