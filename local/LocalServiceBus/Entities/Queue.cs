using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

internal enum EnqueueResult
{
    Accepted,
    Disabled,
    QuotaExceeded,

    /// <summary>See <see cref="Queue.Failure"/>.</summary>
    Failed,

    /// <summary>See <see cref="MemoryUse.Most"/>.</summary>
    BrokerFull,

    /// <summary>See <see cref="Queue.JournalTrouble"/>.</summary>
    NotKept,

    /// <summary>A message without a session id in a queue with sessions.</summary>
    NoSession,
}

/// <summary>One queue with its dead-letter queue. Safe for any number of threads: one lock guards <see cref="QueueContents"/>, and
/// no message is sent while it is held.</summary>
public sealed partial class Queue : IDisposable
{
    // So many messages change state under one hold of the lock: when very many locks run out in the same moment, or in a purge.
    internal const int MostPerHold = 1000;

    // So many such holds follow each other on one thread; then others of the pool get their turn.
    private const int HoldsPerCall = 8;

    private readonly Lock _gate = new();
    private readonly MonotonicClock _clock;
    private readonly Deadlines _deadlines;
    private readonly QueueContents _contents;
    private readonly Dispatcher _dispatcher;
    private readonly Queue? _parent;
    private readonly MemoryUse _memory;
    private readonly Defects _defects;
    private readonly IQueueJournal _journal;
    private readonly Action<Queue>? _onFailed;
    private Exception? _failure;
    private long _accessedAtTicks;
    private bool _isDeleted;

    /// <param name="options">Validated.</param>
    /// <param name="time">Of locks and deadlines.</param>
    /// <param name="memory">Of the broker.</param>
    /// <param name="defects">Where defects of the queue are told.</param>
    /// <param name="journal">Keeps the contents.</param>
    /// <param name="onFailed">Called once, on a thread of the pool, when the queue has failed.</param>
    internal Queue(
        QueueOptions options, TimeProvider time, MemoryUse memory, Defects defects, IQueueJournal journal, Action<Queue>? onFailed)
        : this(options, new MonotonicClock(time), memory, defects, journal, null) => _onFailed = onFailed;

    private Queue(
        QueueOptions options, MonotonicClock clock, MemoryUse memory, Defects defects, IQueueJournal journal, Queue? parent)
    {
        _journal = journal;
        _memory = memory;
        _clock = clock;
        _parent = parent;
        _defects = defects;
        // A topic has neither: its messages go on to subscriptions, which have theirs.
        if (parent is null && options.Kind != EntityKind.Topic)
        {
            DeadLetterQueue = new Queue(DeadLetterOptions(options), clock, memory, defects, journal.DeadLetters, this);
            _transferDeadLetters = new Lazy<Queue>(NewTransferDeadLetterQueue);
        }
        _deadlines = new Deadlines(clock, OnDue);
        _sessions = options.RequiresSession ? new SessionTable(clock, memory, journal, OnSessionsDue) : null;
        _contents = new QueueContents(_gate, clock, _deadlines, memory, journal, DeadLetterQueue, _sessions) { Options = options };
        _dispatcher = NewDispatcher(_contents.Lane);
        CreatedAt = UpdatedAt = clock.Now;
        _accessedAtTicks = CreatedAt.UtcTicks;
    }

    public string Name => Options.Name;
    public QueueOptions Options => _contents.Options;
    public DateTimeOffset CreatedAt { get; }

    internal DateTimeOffset Now => _clock.Now;
    public DateTimeOffset UpdatedAt { get; private set; }

    /// <summary>When a client last sent, received or settled here.</summary>
    public DateTimeOffset AccessedAt => new(Volatile.Read(ref _accessedAtTicks), TimeSpan.Zero);

    /// <summary>Where messages go that cannot be processed; null for a dead-letter queue itself, and for the queue of a topic.</summary>
    public Queue? DeadLetterQueue { get; }

    /// <summary>Not null after a defect: what is in the queue can no longer be trusted, so it takes and gives nothing more, and its clients
    /// are told. A queue and its dead-letter queue fail together. The way out is to delete the queue and to create it anew.</summary>
    public Exception? Failure => _parent is null ? Volatile.Read(ref _failure) : _parent.Failure;

    /// <summary>Why the queue can keep nothing at present, and takes no messages; null: it can.</summary>
    internal string? JournalTrouble => _journal.Trouble;

    /// <summary>A queue of the same name is another one.</summary>
    internal bool IsDeleted
    {
        get
        {
            lock (_gate)
                return _isDeleted;
        }
    }

    public QueueCounts Counts()
    {
        lock (_gate)
        {
            return _contents.ToCounts() with
            {
                DeadLetter = DeadLetterQueue?.CountAll() ?? 0,
                TransferDeadLetter = TransferDeadLettersSoFar?.CountAll() ?? 0,
            };
        }
    }

    /// <summary>Drops every active, scheduled and deferred message; locked ones stay with their receivers.</summary>
    /// <returns>How many messages were dropped.</returns>
    public int Purge()
    {
        var numbers = Change((First: 0L, Last: -1L), () => (0, _contents.LastSequenceNumber));
        var purged = 0;
        while (numbers.First <= numbers.Last && Failure is null)
            purged += Change(0, () => _contents.Purge(ref numbers, MostPerHold));
        Dispatch();
        return purged;
    }

    /// <summary>Calls back when all that was done so far outlives the broker: at once, or later on another thread.</summary>
    internal void WhenKept(Action call) => _journal.WhenKept(call);

    /// <summary>Does what a client asks under one hold of the lock, in its order, and dispatches once.</summary>
    /// <param name="batch">Not to be changed until it is completed: at once what was refused while a full disk may keep the others waiting,
    /// and those as by <see cref="WhenKept"/>.</param>
    internal void Do(RequestBatch batch)
    {
        var brings = false;
        try
        {
            lock (_gate)
            {
                var now = _clock.Now;
                foreach (var request in batch.Requests)
                    brings |= Apply(request, now);
            }
        }
        catch (Exception error)
        {
            // What was not done keeps the result that it has from the start.
            Fail(error);
        }
        if (brings)
            Dispatch();
        if (_journal.Trouble is null)
            WhenKept(batch.CompleteAll);
        else
            CompleteInTurn(batch);
    }

    private void CompleteInTurn(RequestBatch batch)
    {
        batch.Complete([.. batch.Requests.Where(request => request.IsRefused)]);
        List<QueueRequest> done = [.. batch.Requests.Where(request => !request.IsRefused)];
        WhenKept(() => batch.Complete(done));
    }

    /// <summary>All of the messages are accepted, or none. Duplicates count as accepted.</summary>
    /// <param name="messages">In their order.</param>
    /// <param name="sequenceNumbers">One for each message, 0 for a duplicate; empty when nothing was accepted.</param>
    internal EnqueueResult Enqueue(ReadOnlySpan<MessageContent> messages, Span<long> sequenceNumbers)
    {
        try
        {
            lock (_gate)
            {
                if (Add(messages, sequenceNumbers, _clock.Now) is not EnqueueResult.Accepted and var refusal)
                    return refusal;
            }
        }
        catch (Exception error)
        {
            Fail(error);
            return EnqueueResult.Failed;
        }
        Dispatch();
        return EnqueueResult.Accepted;
    }

    /// <summary>The new receiver gets messages once it signals that it has credit. In a queue with sessions it has one.</summary>
    internal QueueReceiver AddReceiver(
        ReceiveMode mode,
        Func<QueuedMessage, MessageLock?, HandOver> deliver,
        Action<Exception> onFailed,
        Action? onExhausted = null,
        SessionHold? session = null,
        bool isOwn = false) =>
        new(session?.Dispatcher ?? _dispatcher, mode, deliver, onFailed, onExhausted) { IsOwn = isOwn };

    /// <summary>A delivery is named by its lock token, so that a receiver which never settles keeps no message in memory.</summary>
    internal SettleResult Settle(Guid token, Settlement settlement)
    {
        try
        {
            lock (_gate)
            {
                if (Settle(token, settlement, _clock.Now) is not SettleResult.Settled and var refusal)
                    return refusal;
            }
        }
        catch (Exception error)
        {
            Fail(error);
            return SettleResult.LockLost;
        }
        if (BringsBack(settlement))
            Dispatch();
        return SettleResult.Settled;
    }

    /// <returns>Until when the message is locked now; null when the lock is lost.</returns>
    internal DateTimeOffset? RenewLock(Guid token) => Change<DateTimeOffset?>(null, () =>
    {
        var now = _clock.Now;
        Touch(now);
        if (_contents.FindLocked(token, now) is { } message)
            return _contents.Renew(message);
        _contents.Totals.LockLost++;
        return null;
    });

    /// <summary>Locks (or takes away) deferred messages.</summary>
    /// <returns>Copies. Null, and no message is taken, when one of them is not there as a deferred message; empty, and none is taken, when
    /// several are larger together than <paramref name="mostBytes"/>.</returns>
    internal IReadOnlyList<(QueuedMessage Message, MessageLock? Lock)>? ReceiveDeferred(
        IReadOnlyList<long> sequenceNumbers, ReceiveMode mode, long mostBytes = long.MaxValue, string? sessionId = null) =>
        Change(null, () =>
        {
            Touch(_clock.Now);
            return _contents.ReceiveDeferred(sequenceNumbers, mode, mostBytes, sessionId);
        });

    /// <returns>False, and nothing is cancelled, when one of the messages is not scheduled (any more).</returns>
    internal bool CancelScheduled(IReadOnlyList<long> sequenceNumbers) => Change(false, () => _contents.Cancel(sequenceNumbers));

    /// <summary>Looks at messages in every state without changing them, except that deferred ones whose time is over go.</summary>
    /// <returns>Copies: the messages themselves change once the lock is given back.</returns>
    internal IReadOnlyList<QueuedMessage> Peek(long fromSequenceNumber, int count, string? sessionId = null)
    {
        var found = new List<QueuedMessage>();
        for (long? next = fromSequenceNumber; next is { } number && found.Count < count;)
        {
            next = Change(null, () =>
            {
                Touch(_clock.Now);
                return _contents.Peek(number, count, found, MostPerHold, sessionId);
            });
        }
        return found;
    }

    /// <summary>All that the queue holds, as it is, for comparison.</summary>
    internal (long LastSequenceNumber, IReadOnlyList<QueuedMessage> Messages) Look()
    {
        lock (_gate)
            return (_contents.LastSequenceNumber, [.. _contents.Store.From(0).Select(message => message.Copy())]);
    }

    /// <summary>Drops active messages from the head of the queue.</summary>
    internal int DeleteActive(int limit, DateTimeOffset enqueuedBefore)
    {
        var deleted = _sessions is null
            ? Change(0, () => _contents.DeleteActive(limit, enqueuedBefore))
            : DeleteActiveOfSessions(limit, enqueuedBefore);
        Dispatch();
        return deleted;
    }

    /// <summary>What others hold that counts for this queue's limit; null: nothing.</summary>
    internal Func<long>? HoldsBehind
    {
        set => _contents.HoldsBehind = value;
    }

    /// <summary>May be read without the lock.</summary>
    internal long SizeWithDeadLetters =>
        SizeInBytes + (DeadLetterQueue?.SizeInBytes ?? 0) + (TransferDeadLettersSoFar?.SizeInBytes ?? 0);

    /// <summary>Takes a message of another queue, whatever the limits: there it was accepted already. Receivers get it with the next
    /// <see cref="Dispatch"/>.</summary>
    /// <param name="original">There.</param>
    /// <param name="content">Here.</param>
    internal void TakeOver(QueuedMessage original, MessageContent content) =>
        Change(0L, () => _isDeleted ? 0 : _contents.TakeOver(original, content, _clock.Now));

    /// <summary>The same into the dead-letter queue.</summary>
    internal void TakeOverDead(QueuedMessage original, string reason, string description) =>
        Change(0L, () => _isDeleted ? 0 : _contents.TakeOverDead(original, original.Content, reason, description));

    /// <summary>A message that is under way has arrived elsewhere.</summary>
    internal void EndMove(QueuedMessage message) => Change(0, () => _contents.EndMove(message));

    internal void AcceptDeadLetter(QueuedMessage dead, IReadOnlyDictionary<string, object?> reason)
    {
        // The order of the locks is always parent, then dead-letter queue.
        Debug.Assert(_parent!._gate.IsHeldByCurrentThread);
        lock (_gate)
            _contents.AddDeadLetter(dead, reason);
        _dispatcher.RunLater();
    }

    internal void Update(QueueOptions options)
    {
        lock (_gate)
        {
            if (_isDeleted)
                throw new EntityException(EntityFailure.NotFound, $"Queue '{Name}' was deleted meanwhile.");
            RequireSame(options.RequiresDuplicateDetection, Options.RequiresDuplicateDetection, nameof(Options.RequiresDuplicateDetection));
            RequireSame(options.RequiresSession, Options.RequiresSession, nameof(Options.RequiresSession));
            _contents.Options = options with { Name = Name, Kind = Options.Kind };
            UpdatedAt = _clock.Now;
            _sessions?.WakeAll();
            if (_parent is null)
                _journal.Describe(Options);
        }
        DeadLetterQueue?.Update(DeadLetterOptions(Options));
        TransferDeadLettersSoFar?.Update(TransferDeadLetterOptions(Options));
        Dispatch();
    }

    private void RequireSame(bool wanted, bool present, string option)
    {
        if (wanted != present)
        {
            throw new EntityException(
                EntityFailure.InvalidOption, $"{option} of queue '{Name}' cannot change: delete the queue and create it anew.");
        }
    }

    /// <summary>Takes in what the journal has kept, before anybody knows this queue.</summary>
    internal void Restore(long lastSequenceNumber, IEnumerable<QueuedMessage> messages)
    {
        lock (_gate)
        {
            foreach (var message in messages)
                _contents.Restore(message);
            _contents.Restore(lastSequenceNumber);
        }
    }

    /// <summary>The same of the ids that duplicate detection has seen.</summary>
    internal void Restore(IEnumerable<(string MessageId, DateTimeOffset SeenAt)> seen)
    {
        lock (_gate)
        {
            foreach (var (messageId, seenAt) in seen)
                _contents.Restore(messageId, seenAt);
        }
    }

    /// <summary>The queue is gone for good, and not only until the broker starts again.</summary>
    internal void Delete()
    {
        Dispose();
        _journal.Delete();
    }

    public void Dispose()
    {
        lock (_gate)
            _isDeleted = true;
        RefuseWaiting(SessionRefusal.Deleted);
        while (Change(false, () => _contents.Clear(MostPerHold)))
        {
        }
        lock (_gate)
            _contents.Release();
        _deadlines.Dispose();
        _sessions?.Dispose();
        DeadLetterQueue?.Dispose();
        TransferDeadLettersSoFar?.Dispose();
    }

    /// <summary>A dead-letter queue locks as its parent does, and takes and keeps everything.</summary>
    private static QueueOptions DeadLetterOptions(QueueOptions options) => new($"{options.Name}/$DeadLetterQueue")
    {
        ForwardTo = options.ForwardDeadLetteredMessagesTo,
        LockDuration = options.LockDuration,
        MaxDeliveryCount = options.MaxDeliveryCount,
        MaxMessageSize = options.MaxMessageSize,
    };

    /// <summary>May be read without the lock, and is of a moment ago then.</summary>
    internal long SizeInBytes => _contents.SizeInBytes;

    private long CountAll()
    {
        lock (_gate)
            return _contents.Store.Count;
    }

    /// <returns>Whether there may be messages to hand out now.</returns>
    private bool Apply(QueueRequest request, DateTimeOffset now)
    {
        switch (request)
        {
            case SendRequest send:
                send.Result = Add(send.Messages, [], now);
                return send.Result == EnqueueResult.Accepted;
            case SettleRequest settle:
                settle.Result = Settle(settle.Token, settle.Settlement, now);
                return settle.Result == SettleResult.Settled && BringsBack(settle.Settlement);
            default:
                throw new UnreachableException($"A request {request}.");
        }
    }

    /// <param name="messages">In their order.</param>
    /// <param name="sequenceNumbers">One for each message; empty: nobody asks.</param>
    /// <param name="now">The time.</param>
    private EnqueueResult Add(ReadOnlySpan<MessageContent> messages, Span<long> sequenceNumbers, DateTimeOffset now)
    {
        if (Probe(messages) is not EnqueueResult.Accepted and var refusal)
            return refusal;
        for (var i = 0; i < messages.Length; i++)
        {
            var number = _contents.Add(messages[i], now);
            if (!sequenceNumbers.IsEmpty)
                sequenceNumbers[i] = number;
        }
        Touch(now);
        return EnqueueResult.Accepted;
    }

    /// <summary>What <see cref="Add"/> would answer.</summary>
    private EnqueueResult Probe(ReadOnlySpan<MessageContent> messages)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (Failure is not null)
            return EnqueueResult.Failed;
        if (_isDeleted || Options.Status is EntityStatus.Disabled or EntityStatus.SendDisabled)
            return EnqueueResult.Disabled;
        if (_contents.IsFull())
            return EnqueueResult.QuotaExceeded;
        if (_memory.IsExhausted)
            return EnqueueResult.BrokerFull;
        if (JournalTrouble is not null)
            return EnqueueResult.NotKept;
        return _sessions is not null && HasNoSession(messages) ? EnqueueResult.NoSession : EnqueueResult.Accepted;
    }

    private SettleResult Settle(Guid token, Settlement settlement, DateTimeOffset now)
    {
        if (Probe(token, settlement, now, out var message) is not SettleResult.Settled and var refusal)
            return refusal;
        _contents.Settle(message!, settlement);
        Touch(now);
        return SettleResult.Settled;
    }

    /// <summary>What <see cref="Settle(Guid, Settlement, DateTimeOffset)"/> would answer.</summary>
    private SettleResult Probe(Guid token, Settlement settlement, DateTimeOffset now, out QueuedMessage? message)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        message = Failure is null ? _contents.FindLocked(token, now) : null;
        if (message is null)
        {
            _contents.Totals.CountLate(settlement);
            return _sessions is null ? SettleResult.LockLost : SettleResult.SessionLockLost;
        }
        if (settlement is Settlement.DeadLettered && DeadLetterQueue is null)
            return SettleResult.NotAllowed;
        return QueueContents.Fits(message, settlement) ? SettleResult.Settled : SettleResult.PropertiesTooLarge;
    }

    private static bool HasNoSession(ReadOnlySpan<MessageContent> messages)
    {
        foreach (var message in messages)
        {
            if (message.SessionId is null)
                return true;
        }
        return false;
    }

    /// <summary>Brings what can be handed out to the receivers.</summary>
    internal void Dispatch()
    {
        if (_sessions is null)
            _dispatcher.Run();
        else
            DispatchSessions();
    }

    private static bool BringsBack(Settlement settlement) => settlement is Settlement.Released or Settlement.Abandoned;

    /// <summary>Changes the contents under the lock. What throws there fails the queue, on whatever thread it happens.</summary>
    /// <param name="whenFailed">The answer of a queue that has failed.</param>
    /// <param name="change">Called under the lock.</param>
    private T Change<T>(T whenFailed, Func<T> change)
    {
        try
        {
            lock (_gate)
                return Failure is null ? change() : whenFailed;
        }
        catch (Exception error)
        {
            Fail(error);
            return whenFailed;
        }
    }

    internal void Fail(Exception error)
    {
        Debug.Assert(!_gate.IsHeldByCurrentThread);
        if (_parent is not null)
        {
            _parent.Fail(error);
            return;
        }
        var isFirst = Interlocked.CompareExchange(ref _failure, error, null) is null;
        _defects.Report($"queue '{Name}'", error);
        if (!isFirst)
            return;
        Stop();
        DeadLetterQueue?.Stop();
        TransferDeadLettersSoFar?.Stop();
        // Those who listen may take locks of their own, which this thread may hold.
        ThreadPool.UnsafeQueueUserWorkItem(static queue => queue.TellFailure(), this, preferLocal: false);
    }

    private void TellFailure()
    {
        try
        {
            RefuseWaiting(SessionRefusal.Failed);
            _onFailed?.Invoke(this);
        }
        catch (Exception error)
        {
            _defects.Report($"telling the clients of queue '{Name}' that it has failed", error);
        }
    }

    private void Stop()
    {
        _dispatcher.Stop();
        _deadlines.Dispose();
        if (_sessions is not null)
        {
            lock (_gate)
                _sessions.Stop();
        }
    }

    private void OnDue()
    {
        for (var holds = 1; Change(false, () => !_isDeleted && TakeDue()); holds++)
        {
            Dispatch();
            if (holds < HoldsPerCall)
                continue;
            ThreadPool.UnsafeQueueUserWorkItem(static queue => queue.OnDue(), this, preferLocal: false);
            return;
        }
        Dispatch();
    }

    private bool TakeDue()
    {
        var now = _clock.Now;
        for (var i = 0; i < MostPerHold; i++)
        {
            if (_deadlines.TakeDue(now) is not { } message)
            {
                _deadlines.Rearm();
                return false;
            }
            _contents.OnDue(message);
        }
        return true;
    }

    private void Touch(DateTimeOffset now) => Volatile.Write(ref _accessedAtTicks, now.UtcTicks);
}
