using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>
/// Stores the contents of the queues. Queues record changes; a writer thread commits all changes since its last commit
/// as one transaction (group commit), and then runs the callbacks that wait for it.
/// <para>If the file can't be written, for example because the disk is full, the broker rejects messages and continues
/// in memory. The journal retries every second; waiting callbacks keep waiting.</para>
/// </summary>
internal sealed class BrokerJournal : IJournal, IAsyncDisposable
{
    private static readonly TimeSpan RetryPause = TimeSpan.FromSeconds(1);

    private readonly object _gate = new(); // A monitor, because the writer waits on it.
    private readonly JournalFile _file;
    private readonly Defects _defects;
    private readonly Task _writing;

    // Each move of a message holds the read lock. The writer holds the write lock while it takes the recorded changes,
    // so that no commit contains half a move.
    private readonly ReaderWriterLockSlim _moves = new(LockRecursionPolicy.NoRecursion);
    private ChangeGroup _changes = new();
    private List<Action> _calls = [];
    private long _lastId;
    private bool _isIdle;
    private bool _isStopping;
    private bool _isWithoutMoves;
    private string? _writeError;

    public BrokerJournal(JournalFile file, Defects defects)
    {
        _file = file;
        _defects = defects;
        _lastId = file.LastId();
        _writing = Task.Factory.StartNew(
            Write,
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default
        );
    }

    public string? WriteError => Volatile.Read(ref _writeError);

    public IQueueJournal Add(QueueOptions options)
    {
        var id = 0L;
        Change(changes => changes.Queues[id = ++_lastId] = options);
        return new QueueJournal(this, id);
    }

    /// <summary>Restores messages without their locks. Totals restart at zero.</summary>
    public void Restore(ServiceBusNamespace entities)
    {
        // Read everything before the first queue starts: from then on, the writer uses the file.
        var kept = _file.Queues().Select(row => (row, Seen: _file.Seen(row.Id), States: _file.States(row.Id))).ToList();
        var rows = _file.Messages([
            .. kept.Where(queue => queue.row.Options.ReadsSessions).Select(queue => queue.row.Id),
        ]);
        var numbers = _file.Numbers();
        foreach (var (row, seen, states) in kept)
        {
            var queue = entities.AddStored(row.Options, new QueueJournal(this, row.Id));
            var messages = rows[row.Id].ToLookup(message => message.Place, message => message.Message);
            // Before the queue itself, because its expired messages are dead-lettered immediately.
            queue.DeadLetterQueue?.Restore(Last(Place.DeadLetters), messages[Place.DeadLetters]);
            if (Last(Place.TransferDeadLetters) > 0)
            {
                queue.TransferDeadLetterQueue?.Restore(
                    Last(Place.TransferDeadLetters),
                    messages[Place.TransferDeadLetters]
                );
            }

            queue.Restore(Last(Place.Queue), messages[Place.Queue], seen, states);

            long Last(Place place) => numbers.GetValueOrDefault((row.Id, place));
        }
        entities.Open();
    }

    public bool TryMove(Action move)
    {
        _moves.EnterReadLock();
        try
        {
            if (!_isWithoutMoves)
                move();
            return !_isWithoutMoves;
        }
        finally
        {
            _moves.ExitReadLock();
        }
    }

    internal bool WaitsForMove => _moves.WaitingWriteCount > 0;

    public void EndMoves()
    {
        _moves.EnterWriteLock();
        _isWithoutMoves = true;
        _moves.ExitWriteLock();
    }

    public void Change(Action<ChangeGroup> change)
    {
        lock (_gate)
        {
            change(_changes);
            Wake();
        }
    }

    public void Put(QueuedMessage message, long queue, Place place)
    {
        lock (_gate)
        {
            // Encode first: if this throws, the message must not have a key.
            var properties = ChangedProperties.Encode(message.ChangedProperties);
            var isNew = message.JournalId == 0;
            if (isNew)
                message.JournalId = ++_lastId;
            _changes.Put(new MessageRow(queue, place, message.Copy(), properties), isNew);
            Wake();
        }
    }

    public void Remove(QueuedMessage message)
    {
        lock (_gate)
        {
            _changes.Remove(message.JournalId);
            Wake();
        }
    }

    public void WhenStored(Action call)
    {
        lock (_gate)
        {
            _calls.Add(call);
            Wake();
        }
    }

    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _isStopping = true;
            Monitor.Pulse(_gate);
        }
        await _writing;
        // The lock isn't disposed, because queues can still call TryMove.
        _file.Dispose();
    }

    private void Wake()
    {
        if (!_isIdle)
            return;
        _isIdle = false;
        Monitor.Pulse(_gate);
    }

    private void Write()
    {
        while (Take() is var (changes, calls))
        {
            while (!TryCommit(changes))
            {
                if (!PauseBeforeRetry())
                    return;
                var (later, more) = Swap();
                changes.Absorb(later);
                calls.AddRange(more);
            }
            foreach (var call in calls)
                _defects.Guard("a callback of the journal", call);
        }
    }

    private (ChangeGroup Changes, List<Action> Calls)? Take()
    {
        lock (_gate)
        {
            while (_changes.IsEmpty && _calls.Count == 0)
            {
                if (_isStopping)
                    return null;
                _isIdle = true;
                Monitor.Wait(_gate);
            }
            _isIdle = false;
        }
        return Swap();
    }

    private (ChangeGroup Changes, List<Action> Calls) Swap()
    {
        _moves.EnterWriteLock();
        try
        {
            lock (_gate)
            {
                var taken = (_changes, _calls);
                (_changes, _calls) = (new ChangeGroup(), []);
                return taken;
            }
        }
        finally
        {
            _moves.ExitWriteLock();
        }
    }

    private bool TryCommit(ChangeGroup changes)
    {
        try
        {
            if (!changes.IsEmpty)
                _file.Commit(changes);
            Volatile.Write(ref _writeError, null);
            return true;
        }
        catch (Exception error)
        {
            if (_writeError is null)
                _defects.Report("the journal; retrying every second, messages are rejected until then", error);
            var isFull = error is SqliteException { SqliteErrorCode: SQLitePCL.raw.SQLITE_FULL };
            Volatile.Write(ref _writeError, isFull ? "the disk is full" : error.Message);
            return false;
        }
    }

    private bool PauseBeforeRetry()
    {
        lock (_gate)
        {
            if (!_isStopping)
                Monitor.Wait(_gate, RetryPause);
            return !_isStopping;
        }
    }

    private sealed class QueueJournal(BrokerJournal journal, long queue, Place place = Place.Queue) : IQueueJournal
    {
        public IQueueJournal DeadLetters => new QueueJournal(journal, queue, Place.DeadLetters);

        public IQueueJournal TransferDeadLetters => new QueueJournal(journal, queue, Place.TransferDeadLetters);

        public string? WriteError => journal.WriteError;

        public void Record(Transition transition, QueuedMessage message)
        {
            switch (transition)
            {
                case Transition.Arrived or Transition.CameDue or Transition.Failed or Transition.Deferred:
                    journal.Put(message, queue, place);
                    break;
                case Transition.Completed or Transition.Expired or Transition.Purged or Transition.Cancelled:
                    journal.Remove(message);
                    break;
                case Transition.Released or Transition.DeadLettered:
                    break; // No change in the journal: a dead-lettered message is recorded when it arrives.
                default:
                    throw new System.Diagnostics.UnreachableException($"A transition {transition}.");
            }
        }

        public void Remember(string messageId, DateTimeOffset seenAt) =>
            journal.Change(changes => changes.Seen.Add((queue, messageId, seenAt)));

        public void KeepState(string sessionId, byte[]? state) =>
            journal.Change(changes => changes.States[(queue, sessionId)] = state);

        public void Forget(DateTimeOffset seenUpTo) => journal.Change(changes => changes.Forgotten[queue] = seenUpTo);

        public void Describe(QueueOptions options) => journal.Change(changes => changes.Queues[queue] = options);

        public void Delete() => journal.Change(changes => changes.Queues[queue] = null);

        public void WhenStored(Action call) => journal.WhenStored(call);
    }
}
