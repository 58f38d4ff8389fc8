namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>One queue with its dead-letter queue. Safe for any number of threads: one lock guards <see cref="QueueContents"/>, and
/// no message is sent while it is held.</summary>
internal sealed partial class Queue : IDisposable
{
    // So many messages change state under one hold of the lock: when very many locks run out in the same moment, or in a purge.
    internal const int MostPerHold = 1000;

    private readonly Lock _gate = new();
    private readonly MonotonicClock _clock;
    private readonly DueTimer _timer;
    private readonly Deadlines _deadlines;
    private readonly QueueContents _contents;
    private readonly Dispatcher _dispatcher;
    private readonly Queue? _parent;
    private readonly MemoryUse _memory;
    private readonly Defects _defects;
    private readonly IQueueJournal _journal;
    private readonly Action<Queue>? _onFailed;
    private long _accessedAtTicks;

    /// <param name="options">Validated.</param>
    /// <param name="onFailed">Called once, on a thread of the pool, when the queue has failed.</param>
    internal Queue(
        QueueOptions options,
        MonotonicClock clock,
        MemoryUse memory,
        Defects defects,
        IQueueJournal journal,
        Action<Queue>? onFailed
    )
        : this(options, clock, memory, defects, journal, parent: null) => _onFailed = onFailed;

    private Queue(
        QueueOptions options,
        MonotonicClock clock,
        MemoryUse memory,
        Defects defects,
        IQueueJournal journal,
        Queue? parent
    )
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
        var share = new MemoryShare(memory);
        _timer = new DueTimer(clock, OnDue);
        _deadlines = new Deadlines(_timer);
        _sessions = options.RequiresSession ? new SessionTable(_timer, share, journal) : null;
        _contents = new QueueContents(clock, _deadlines, share, journal, DeadLetterQueue, _sessions)
        {
            Options = options,
        };
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

    /// <summary>Null: it is not where messages for a topic arrive.</summary>
    internal Topic? Topic { get; set; }

    /// <summary>Null: it is not that of a subscription.</summary>
    internal Subscription? Subscription { get; set; }

    /// <summary>Why the queue can keep nothing at present, and takes no messages; null: it can.</summary>
    internal string? JournalTrouble => _journal.Trouble;

    /// <summary>May be read without the lock, and is of a moment ago then.</summary>
    internal long SizeInBytes => _contents.SizeInBytes;

    /// <summary>May be read without the lock.</summary>
    internal long SizeWithDeadLetters =>
        SizeInBytes + (DeadLetterQueue?.SizeInBytes ?? 0) + (TransferDeadLettersSoFar?.SizeInBytes ?? 0);

    /// <summary>What others hold that counts for this queue's limit; null: nothing.</summary>
    internal Func<long>? HoldsBehind
    {
        set => _contents.HoldsBehind = value;
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
        var purged = Drop(int.MaxValue, message => message.State != MessageState.Locked);
        Dispatch();
        return purged;
    }

    /// <summary>Drops active messages, by their numbers.</summary>
    /// <param name="sessionId">The session to delete from, or <c>null</c> for all.</param>
    internal int DeleteActive(int limit, DateTimeOffset enqueuedBefore, string? sessionId = null)
    {
        var deleted = Drop(limit, message =>
            message.State == MessageState.Active
            && message.EnqueuedAt < enqueuedBefore
            && (sessionId is null || message.Content.SessionId == sessionId)
        );
        Dispatch();
        return deleted;
    }

    /// <summary>Calls back when all that was done so far outlives the broker: at once, or later on another thread.</summary>
    internal void WhenKept(Action call) => _journal.WhenKept(call);

    /// <summary>The new receiver gets messages once it signals that it has credit. In a queue with sessions it has one.</summary>
    internal QueueReceiver AddReceiver(
        ReceiveMode mode,
        Func<QueuedMessage, MessageLock?, HandOver> deliver,
        Action<Exception> onFailed,
        Action? onExhausted = null,
        SessionHold? session = null,
        bool isOwn = false
    ) => new(session?.Dispatcher ?? _dispatcher, mode, deliver, onFailed, onExhausted) { IsOwn = isOwn };

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
    /// <param name="sessionId">That has to be held; null: the queue has no sessions.</param>
    /// <param name="by">As in <see cref="RenewSession"/>.</param>
    internal IReadOnlyList<(QueuedMessage Message, MessageLock? Lock)>? ReceiveDeferred(
        IReadOnlyList<long> sequenceNumbers,
        ReceiveMode mode,
        long mostBytes = long.MaxValue,
        string? sessionId = null,
        LinkId? by = null
    )
    {
        return sessionId is null ? Change(null, Receive) : InSession(sessionId, by, null, (_, _) => Receive());

        IReadOnlyList<(QueuedMessage, MessageLock?)>? Receive()
        {
            Touch(_clock.Now);
            return _contents.ReceiveDeferred(sequenceNumbers, mode, mostBytes, sessionId);
        }
    }

    /// <summary>Looks at messages in every state without changing them, except that deferred ones whose time is over go.</summary>
    /// <returns>Copies: the messages themselves change once the lock is given back.</returns>
    internal IReadOnlyList<QueuedMessage> Peek(long fromSequenceNumber, int count, string? sessionId = null)
    {
        var found = new List<QueuedMessage>();
        for (long? next = fromSequenceNumber; next is { } number && found.Count < count; )
        {
            next = Change(null, () =>
            {
                Touch(_clock.Now);
                return _contents.Peek(number, count, found, MostPerHold, sessionId);
            });
        }
        return found;
    }

    internal void AcceptDeadLetter(QueuedMessage dead, IReadOnlyDictionary<string, object?> reason)
    {
        // The order of the locks is always parent, or the dead-letter queue that could not forward a message, then this queue.
        lock (_gate)
            _contents.AddDeadLetter(dead, reason);
        _dispatcher.RunLater();
    }

    internal void Update(QueueOptions options)
    {
        lock (_gate)
        {
            if (_isDeleted)
                throw EntityException.NotFound(Name);
            RequireSame(
                options.RequiresDuplicateDetection,
                Options.RequiresDuplicateDetection,
                nameof(Options.RequiresDuplicateDetection)
            );
            RequireSame(options.RequiresSession, Options.RequiresSession, nameof(Options.RequiresSession));
            RequireSame(options.EnablePartitioning, Options.EnablePartitioning, nameof(Options.EnablePartitioning));
            _contents.Options = options with { Name = Name, Kind = Options.Kind };
            UpdatedAt = _clock.Now;
            _sessions?.WakeAll();
            if (_parent is null)
                _journal.Describe(Options);
        }
        DeadLetterQueue?.Update(DeadLetterOptions(Options));
        TransferDeadLettersSoFar?.Update(TransferDeadLetterOptions(Options));
        if (IsReceiveDisabled)
            RefuseWaiting(QueueResult.Disabled);
        Dispatch();
    }

    /// <summary>Takes in what the journal has kept, before anybody knows this queue.</summary>
    /// <param name="seen">Ids that duplicate detection has seen.</param>
    /// <param name="states">Of sessions.</param>
    internal void Restore(
        long lastSequenceNumber,
        IEnumerable<QueuedMessage> messages,
        IEnumerable<(string MessageId, DateTimeOffset SeenAt)>? seen = null,
        IEnumerable<(string SessionId, byte[] State)>? states = null
    )
    {
        lock (_gate)
        {
            foreach (var (messageId, seenAt) in seen ?? [])
                _contents.Restore(messageId, seenAt);
            foreach (var (sessionId, state) in states ?? [])
                _sessions!.RestoreState(_sessions.Of(sessionId), state);
            foreach (var message in messages)
                _contents.Restore(message);
            _contents.Restore(lastSequenceNumber);
        }
    }

    /// <summary>Brings what can be handed out to the receivers.</summary>
    internal void Dispatch()
    {
        if (_sessions is null)
            _dispatcher.Run();
        else
            DispatchSessions();
    }

    /// <summary>Changes the contents under the lock. What throws there fails the queue, on whatever thread it happens.</summary>
    /// <param name="whenFailed">The answer of a queue that has failed.</param>
    internal T Change<T>(T whenFailed, Func<T> change)
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

    internal void Change(Action change) => Change(false, () =>
        {
            change();
            return true;
        });

    /// <summary>A dead-letter queue locks as its parent does, and takes and keeps everything.</summary>
    private static QueueOptions DeadLetterOptions(QueueOptions options) =>
        new($"{options.Name}/$DeadLetterQueue")
        {
            ForwardTo = options.ForwardDeadLetteredMessagesTo,
            LockDuration = options.LockDuration,
            MaxDeliveryCount = options.MaxDeliveryCount,
            MaxMessageSize = options.MaxMessageSize,
        };

    private void RequireSame(bool wanted, bool present, string option)
    {
        if (wanted != present)
        {
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"{option} of queue '{Name}' cannot change: delete the queue and create it again."
            );
        }
    }

    private long CountAll()
    {
        lock (_gate)
            return _contents.Store.Count;
    }

    /// <summary>Messages are looked for among all, some at a time.</summary>
    private int Drop(int limit, Func<QueuedMessage, bool> mayGo)
    {
        var numbers = Change((First: 0L, Last: -1L), () => (0, _contents.LastSequenceNumber));
        var dropped = 0;
        while (numbers.First <= numbers.Last && dropped < limit && Failure is null)
            dropped += Change(0, () => _contents.Drop(ref numbers, limit - dropped, MostPerHold, mayGo));
        return dropped;
    }

    /// <summary>A client uses the queue.</summary>
    internal void Touch(DateTimeOffset now) => Volatile.Write(ref _accessedAtTicks, now.UtcTicks);
}
