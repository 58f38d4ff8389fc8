namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The parts of a broker that its queues share.</summary>
internal sealed record BrokerParts(MonotonicClock Clock, MemoryUse Memory, Defects Defects);

/// <summary>One queue with its dead-letter queues. Safe for any number of threads: one lock guards its contents, and no message is sent
/// while it is held.</summary>
internal sealed partial class Queue : IDisposable
{
    /// <summary>The maximum number of messages that change state under one hold of the lock, as when very many locks expire at the same
    /// time.</summary>
    internal const int MostPerHold = 1000;

    private static long _lastPlace;

    private readonly BrokerParts _broker;
    private readonly IQueueJournal _journal;
    private readonly Action<Queue>? _onFailed;
    private readonly Queue? _parent;
    private readonly SessionTable? _sessions;
    private readonly Dispatcher _dispatcher;
    private readonly Lazy<Queue>? _transferDeadLetters;
    private Exception? _failure;
    private volatile bool _isDeleted;

    /// <param name="options">Validated.</param>
    /// <param name="onFailed">Called once, on a thread of the pool, when the queue has failed.</param>
    /// <param name="parent">The queue of which this is a dead-letter queue.</param>
    internal Queue(
        QueueOptions options,
        BrokerParts broker,
        IQueueJournal journal,
        Action<Queue>? onFailed,
        Queue? parent = null
    )
    {
        (_broker, _journal, _onFailed, _parent) = (broker, journal, onFailed, parent);
        // The messages of a topic are moved to subscriptions, which have dead-letter queues.
        if (parent is null && options.Kind != EntityKind.Topic)
        {
            DeadLetterQueue = new Queue(DeadLetterOptions(options), broker, journal.DeadLetters, null, this);
            _transferDeadLetters = new Lazy<Queue>(() =>
                new Queue(TransferDeadLetterOptions(Options), broker, journal.TransferDeadLetters, null, this)
            );
        }
        var memory = new MemoryShare(broker.Memory);
        Use = new QueueUse(broker.Clock);
        Timer = new QueueTimer(this, broker.Clock);
        if (options.RequiresSession)
        {
            _sessions = new SessionTable(Timer, memory, journal);
            Sessions = new QueueSessions(this, broker, Timer, _sessions);
        }
        Contents = new QueueContents(broker.Clock, Use, Timer.Deadlines, memory, journal, DeadLetterQueue, _sessions)
        {
            Options = options,
        };
        _dispatcher = NewDispatcher(Contents.Lane);
        CreatedAt = UpdatedAt = Now;
    }

    public string Name => Options.Name;

    public QueueOptions Options => Contents.Options;

    public DateTimeOffset CreatedAt { get; }

    public DateTimeOffset UpdatedAt { get; private set; }

    public DateTimeOffset AccessedAt => Use.AccessedAt;

    /// <summary>The queue of messages that can't be processed; <c>null</c> for a dead-letter queue and for the queue of a topic.</summary>
    public Queue? DeadLetterQueue { get; }

    /// <summary>The queue of messages that can't be forwarded; <c>null</c> where <see cref="DeadLetterQueue"/> is.</summary>
    public Queue? TransferDeadLetterQueue => _transferDeadLetters?.Value;

    /// <summary>The first internal error, or <c>null</c>. After it the contents are unreliable, so the queue accepts and delivers nothing
    /// until it is deleted. A queue and its dead-letter queues fail together.</summary>
    public Exception? Failure => _parent is null ? Volatile.Read(ref _failure) : _parent.Failure;

    /// <summary>The topic whose messages arrive here.</summary>
    internal Topic? Topic { get; set; }

    /// <summary>The subscription that this is the queue of.</summary>
    internal Subscription? Subscription { get; set; }

    /// <summary>The sessions; <c>null</c> if the queue has none.</summary>
    internal QueueSessions? Sessions { get; }

    /// <summary>Forwards the messages; <c>null</c> if clients receive them.</summary>
    internal Forwarding? Forwarding { get; set; }

    /// <summary>Guarded by the lock.</summary>
    internal QueueContents Contents { get; }

    internal QueueTimer Timer { get; }

    internal QueueUse Use { get; }

    internal Lock Gate { get; } = new();

    /// <summary>The order in which a thread takes the locks of several queues. That of a dead-letter queue follows its queue's.</summary>
    internal long LockPlace { get; } = Interlocked.Increment(ref _lastPlace);

    /// <summary>The queue or the topic that it is part of.</summary>
    internal string TopLevel =>
        _parent is not null ? _parent.TopLevel
        : QueueOptions.TrySplit(Name, out var topic, out _) ? topic
        : Name;

    internal DateTimeOffset Now => _broker.Clock.Now;

    internal bool IsDeleted => _isDeleted;

    internal bool IsSendDisabled => _isDeleted || Options.Status is EntityStatus.Disabled or EntityStatus.SendDisabled;

    internal bool IsReceiveDisabled => Options.Status is EntityStatus.Disabled or EntityStatus.ReceiveDisabled;

    internal bool IsForwarding => Options.ForwardTo is not null;

    /// <summary><c>true</c> if clients can't receive.</summary>
    internal bool IsClosed => IsForwarding || IsReceiveDisabled;

    /// <summary>The queue whose dead letters these are; <c>null</c> for other queues.</summary>
    internal string? DeadLetterSource => _parent?.Name;

    /// <summary>Why the journal can't be written, so that messages are rejected; <c>null</c> if it can.</summary>
    internal string? JournalTrouble => _journal.Trouble;

    // Few queues need one.
    private Queue? TransfersSoFar => _transferDeadLetters is { IsValueCreated: true } made ? made.Value : null;

    /// <summary>The queue and its dead-letter queues so far.</summary>
    internal Queue[] Parts => [.. new[] { this, DeadLetterQueue, TransfersSoFar }.OfType<Queue>()];

    /// <summary>Does the requests of a client in order under one hold of the lock, and dispatches once.</summary>
    /// <param name="batch">Unchanged until it is completed: at once for rejected requests while the disk is full, otherwise as by
    /// <see cref="WhenKept"/>.</param>
    internal void Do(RequestBatch batch)
    {
        var brings = false;
        try
        {
            lock (Gate)
            {
                var now = Now;
                foreach (var request in batch.Requests)
                    brings |= request.TryDo(now);
            }
        }
        catch (Exception error)
        {
            // Requests that were not done keep their initial result.
            Fail(error);
        }
        if (brings)
            Dispatch();
        if (_journal.Trouble is null)
        {
            WhenKept(batch.CompleteAll);
            return;
        }
        batch.Complete([.. batch.Requests.Where(request => request.IsRefused)]);
        List<QueueRequest> done = [.. batch.Requests.Where(request => !request.IsRefused)];
        WhenKept(() => batch.Complete(done));
    }

    /// <summary>Does one request, which is not completed.</summary>
    internal void Do(QueueRequest request)
    {
        if (Change(false, () => request.TryDo(Now)))
            Dispatch();
    }

    /// <summary>Under the lock: whether the messages would be accepted now.</summary>
    internal QueueResult CanSend(MessageContent[] messages) =>
        Failure is not null ? QueueResult.Failed
        : CanTake(messages) is not QueueResult.Done and var refusal ? refusal
        : _broker.Memory.IsExhausted ? QueueResult.BrokerFull
        : JournalTrouble is not null ? QueueResult.NotKept
        : QueueResult.Done;

    /// <summary>Accepts a message of another entity as if it were sent here. It needs no more memory and no more room on the disk than it
    /// has there. Receivers get it with the next <see cref="Dispatch"/>.</summary>
    /// <param name="deadLetterSource">See <see cref="QueuedMessage.DeadLetterSource"/>.</param>
    internal QueueResult TakeForwarded(QueuedMessage original, MessageContent content, string? deadLetterSource) =>
        Change(QueueResult.Failed, () =>
        {
            if (CanTake(content) is not QueueResult.Done and var refusal)
                return refusal;
            var now = Now;
            Contents.AddForwarded(original, content, deadLetterSource, now);
            Use.Touch(now);
            return QueueResult.Done;
        });

    /// <summary>Accepts a message of its topic, whatever the limits, because the topic has accepted it. Receivers get it with the next
    /// <see cref="Dispatch"/>.</summary>
    internal void TakeOver(QueuedMessage original, MessageContent content) =>
        Change(() =>
        {
            if (!_isDeleted)
                Contents.TakeOver(original, content);
        });

    /// <summary>Accepts it into the dead-letter queue.</summary>
    internal void TakeOverDead(QueuedMessage original, string reason, string description) =>
        Change(() =>
        {
            if (!_isDeleted)
                Contents.TakeOverDead(original, original.Content, reason, description);
        });

    internal void AcceptDeadLetter(QueuedMessage dead, IReadOnlyDictionary<string, object?> reason)
    {
        // The caller holds the lock of the parent, or of the dead-letter queue that could not forward the message: always in this order.
        lock (Gate)
            Contents.AddDeadLetter(dead, reason);
        _dispatcher.RunLater();
    }

    internal void EndMove(QueuedMessage message) => Change(() => Contents.EndMove(message));

    internal void EndTransfer(QueuedMessage message, string reason, string description)
    {
        var transfers = (_parent ?? this).TransferDeadLetterQueue!;
        Change(() => Contents.EndTransfer(message, transfers, reason, description));
    }

    /// <summary>Adds a receiver, which gets messages once it signals that it has credit.</summary>
    /// <param name="session">Its session, in a queue with sessions.</param>
    internal QueueReceiver AddReceiver(
        ReceiveMode mode,
        Func<QueuedMessage, MessageLock?, DeliveryResult> deliver,
        Action<Exception> onFailed,
        Action? onExhausted = null,
        SessionHold? session = null,
        bool isOwn = false
    ) => new(session?.Dispatcher ?? _dispatcher, mode, deliver, onFailed, onExhausted) { IsOwn = isOwn };

    internal Dispatcher NewDispatcher(Lane lane) => new(this, lane, _broker.Defects);

    /// <returns>The new end of the lock; <c>null</c> if it has expired.</returns>
    internal DateTimeOffset? RenewLock(Guid token) => Change<DateTimeOffset?>(null, () =>
        {
            var now = Now;
            Use.Touch(now);
            if (Contents.FindLocked(token, now) is { } message)
                return Contents.Renew(message);
            Contents.Totals.LockLost++;
            return null;
        });

    /// <summary>Locks (or removes) deferred messages, all or none.</summary>
    /// <returns>Copies; <c>null</c> if one of them isn't a deferred message; empty if several are larger together than
    /// <paramref name="mostBytes"/>.</returns>
    /// <param name="sessionId">The session that must be held; <c>null</c> if the queue has no sessions.</param>
    /// <param name="by">As in <see cref="QueueSessions.Renew"/>.</param>
    internal IReadOnlyList<(QueuedMessage Message, MessageLock? Lock)>? ReceiveDeferred(
        IReadOnlyList<long> sequenceNumbers,
        ReceiveMode mode,
        long mostBytes = long.MaxValue,
        string? sessionId = null,
        LinkId? by = null
    )
    {
        return sessionId is null
            ? Change(null, Receive)
            : Sessions!.InSession(sessionId, by, null, (_, _) => Receive());

        IReadOnlyList<(QueuedMessage, MessageLock?)>? Receive()
        {
            Use.Touch(Now);
            return Contents.ReceiveDeferred(sequenceNumbers, mode, mostBytes, sessionId);
        }
    }

    /// <summary>Reads messages in every state without changing them, except that expired deferred messages are removed.</summary>
    /// <returns>Copies: the messages themselves change once the lock is released.</returns>
    internal IReadOnlyList<QueuedMessage> Peek(long fromSequenceNumber, int count, string? sessionId = null)
    {
        var found = new List<QueuedMessage>();
        for (long? next = fromSequenceNumber; next is { } number && found.Count < count; )
        {
            next = Change(null, () =>
            {
                Use.Touch(Now);
                return Contents.Peek(number, count, found, MostPerHold, sessionId);
            });
        }
        return found;
    }

    /// <summary>Removes every active, scheduled and deferred message; locked ones stay with their receivers.</summary>
    /// <returns>How many were removed.</returns>
    public int Purge() => Drop(int.MaxValue, message => message.State != MessageState.Locked);

    /// <summary>Removes active messages in the order of their numbers.</summary>
    /// <param name="sessionId">The session to delete from, or <c>null</c> for all.</param>
    internal int DeleteActive(int limit, DateTimeOffset enqueuedBefore, string? sessionId = null) =>
        Drop(limit, message =>
            message.State == MessageState.Active
            && message.EnqueuedAt < enqueuedBefore
            && (sessionId is null || message.Content.SessionId == sessionId)
        );

    /// <summary>Calls back when the journal has everything that was done so far: at once, or later on another thread.</summary>
    internal void WhenKept(Action call) => _journal.WhenKept(call);

    /// <summary>Delivers messages to receivers.</summary>
    internal void Dispatch()
    {
        if (Sessions is null)
            _dispatcher.Run();
        else
            Sessions.Dispatch();
    }

    /// <summary>Changes the contents under the lock. An exception fails the queue, on whatever thread it happens.</summary>
    /// <param name="whenFailed">The result of a queue that has failed.</param>
    internal T Change<T>(T whenFailed, Func<T> change)
    {
        try
        {
            lock (Gate)
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

    internal void Report(string what, Exception error) => _broker.Defects.Report($"{what} of '{Name}'", error);

    private QueueResult CanTake(params ReadOnlySpan<MessageContent> messages)
    {
        if (IsSendDisabled)
            return QueueResult.Disabled;
        if (IsFull)
            return QueueResult.QuotaExceeded;
        if (Sessions is null)
            return QueueResult.Done;
        foreach (var message in messages)
        {
            if (message.SessionId is null)
                return QueueResult.NoSession;
        }
        return QueueResult.Done;
    }

    private int Drop(int limit, Func<QueuedMessage, bool> mayGo)
    {
        var numbers = Change((First: 0L, Last: -1L), () => (0, Contents.LastSequenceNumber));
        var dropped = 0;
        while (numbers.First <= numbers.Last && dropped < limit && Failure is null)
            dropped += Change(0, () => Contents.Drop(ref numbers, limit - dropped, MostPerHold, mayGo));
        Dispatch();
        return dropped;
    }
}
