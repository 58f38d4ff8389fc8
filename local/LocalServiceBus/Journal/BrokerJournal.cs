using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>
/// Keeps what the queues of a broker hold. Queues record changes; one thread writes all that has come since its last commit as one
/// transaction (group commit) and then tells those who wait for it.
/// <para>When the file cannot be written (a full disk), sends are refused and everything else goes on in memory. What was recorded is tried
/// again every second, and whoever waits for it waits on.</para>
/// </summary>
internal sealed class BrokerJournal : IJournal, IAsyncDisposable
{
    private static readonly TimeSpan RetryPause = TimeSpan.FromSeconds(1);

    private readonly object _gate = new(); // a monitor, because the writer waits on it
    private readonly JournalFile _file;
    private readonly Defects _defects;
    private readonly Task _writing;

    // Who moves a message holds it for reading, and the writer takes what was recorded while nobody moves any.
    private readonly ReaderWriterLockSlim _moves = new(LockRecursionPolicy.NoRecursion);
    private ChangeGroup _changes = new();
    private List<Action> _calls = [];
    private long _lastId;
    private bool _isIdle;
    private bool _isStopping;
    private bool _isWithoutMoves;
    private string? _trouble;

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

    /// <summary>Why nothing can be written at present; null: it can.</summary>
    public string? Trouble => Volatile.Read(ref _trouble);

    public IQueueJournal Add(QueueOptions options)
    {
        var id = 0L;
        Change(changes => changes.Queues[id = ++_lastId] = options);
        return new QueueJournal(this, id);
    }

    /// <summary>Nobody holds a lock then, and totals start anew.</summary>
    public void Restore(ServiceBusNamespace entities)
    {
        // All is read before the first queue lives: from then on the writer uses the file.
        var kept = _file.Queues().Select(row => (row, Seen: _file.Seen(row.Id), States: _file.States(row.Id))).ToList();
        var rows = _file.Messages([
            .. kept.Where(queue => queue.row.Options.ReadsSessions).Select(queue => queue.row.Id),
        ]);
        var numbers = _file.Numbers();
        foreach (var (row, seen, states) in kept)
        {
            var queue = entities.AddKept(row.Options, new QueueJournal(this, row.Id));
            var messages = rows[row.Id].ToLookup(message => message.Place, message => message.Message);
            // First, because a message of the queue may have expired meanwhile and goes there at once.
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

    /// <summary>A commit waits until the moves that have begun are over.</summary>
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
            // May throw: the message has no row then, and no key.
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

    public void WhenKept(Action call)
    {
        lock (_gate)
        {
            _calls.Add(call);
            Wake();
        }
    }

    /// <summary>Writes what was recorded, unless that cannot be done.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _isStopping = true;
            Monitor.Pulse(_gate);
        }
        await _writing;
        // The lock stays: somebody may still ask whether a message may move.
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
                // Who waits for something waits no longer for it than for what came before.
                var (later, more) = Swap();
                changes.Absorb(later);
                calls.AddRange(more);
            }
            foreach (var call in calls)
                _defects.Guard("answering what the journal has kept", call);
        }
    }

    /// <returns>Null: there is nothing left, and the journal ends.</returns>
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

    /// <summary>What was recorded, at a moment at which no move is under way.</summary>
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
            Volatile.Write(ref _trouble, null);
            return true;
        }
        catch (Exception error)
        {
            if (_trouble is null)
                _defects.Report("the journal, which is tried again every second; sends are refused until then", error);
            var isFull = error is SqliteException { SqliteErrorCode: SQLitePCL.raw.SQLITE_FULL };
            Volatile.Write(ref _trouble, isFull ? "the disk is full" : error.Message);
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

        public string? Trouble => journal.Trouble;

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
                    break; // as it was; and moved when it arrives
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

        public void WhenKept(Action call) => journal.WhenKept(call);
    }
}
