namespace DroneDelivery.LocalServiceBus.Entities;

internal sealed record BrokerParts(MonotonicClock Clock, MemoryUse Memory, Defects Defects);

/// <summary>A queue with its dead-letter queues. Thread-safe: one lock guards its contents and is never held while
/// sending.</summary>
internal sealed partial class Queue : IDisposable
{
    /// <summary>The maximum number of messages to process per lock acquisition.</summary>
    internal const int MaxPerHold = 1000;

    private static long _lastLockOrder;

    private readonly BrokerParts _broker;
    private readonly IQueueJournal _journal;
    private readonly Action<Queue>? _onFailed;
    private readonly Queue? _parent;
    private readonly SessionTable? _sessions;
    private readonly Dispatcher _dispatcher;
    private readonly Lazy<Queue>? _transferDeadLetters;
    private Exception? _failure;
    private volatile bool _isDeleted;

    /// <param name="onFailed">Called once on a pool thread if the queue fails.</param>
    internal Queue(
        QueueOptions options,
        BrokerParts broker,
        IQueueJournal journal,
        Action<Queue>? onFailed,
        Queue? parent = null
    )
    {
        (_broker, _journal, _onFailed, _parent) = (broker, journal, onFailed, parent);
        // Not for topics, because their subscriptions have dead-letter queues.
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

    /// <summary>The dead-letter queue; <c>null</c> for dead-letter queues and topics.</summary>
    public Queue? DeadLetterQueue { get; }

    /// <summary>The transfer dead-letter queue; <c>null</c> for dead-letter queues and topics.</summary>
    public Queue? TransferDeadLetterQueue => _transferDeadLetters?.Value;

    /// <summary>The first internal error; <c>null</c> if there was none. After an error, the queue accepts and delivers
    /// nothing until it's deleted. A queue and its dead-letter queues fail together.</summary>
    public Exception? Failure => _parent is null ? Volatile.Read(ref _failure) : _parent.Failure;

    internal Topic? Topic { get; set; }

    internal Subscription? Subscription { get; set; }

    internal QueueSessions? Sessions { get; }

    internal Forwarding? Forwarding { get; set; }

    internal QueueContents Contents { get; }

    internal QueueTimer Timer { get; }

    internal QueueUse Use { get; }

    internal Lock Gate { get; } = new();

    /// <summary>The position in the lock order. Dead-letter queues follow their queue.</summary>
    internal long LockOrder { get; } = Interlocked.Increment(ref _lastLockOrder);

    /// <summary>The queue or topic that this queue is part of.</summary>
    internal string TopLevel =>
        _parent is not null ? _parent.TopLevel
        : QueueOptions.TrySplit(Name, out var topic, out _) ? topic
        : Name;

    internal DateTimeOffset Now => _broker.Clock.Now;

    internal bool IsDeleted => _isDeleted;

    internal bool IsSendDisabled => _isDeleted || Options.Status is EntityStatus.Disabled or EntityStatus.SendDisabled;

    internal bool IsReceiveDisabled => Options.Status is EntityStatus.Disabled or EntityStatus.ReceiveDisabled;

    internal bool IsForwarding => Options.ForwardTo is not null;

    internal bool IsClosed => IsForwarding || IsReceiveDisabled;

    internal string? DeadLetterSource => _parent?.Name;

    internal string? JournalError => _journal.WriteError;

    // Null until first used, because few queues need it.
    private Queue? TransfersSoFar => _transferDeadLetters is { IsValueCreated: true } made ? made.Value : null;

    internal Queue[] Parts => [.. new[] { this, DeadLetterQueue, TransfersSoFar }.OfType<Queue>()];

    /// <summary>Executes a client's requests in order without releasing the lock in between, and dispatches
    /// once.</summary>
    /// <param name="batch">Must not change until completed. Rejected requests are completed immediately if the journal
    /// can't be written, all others as by <see cref="WhenStored"/>.</param>
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
            Fail(error);
        }
        if (brings)
            Dispatch();
        if (_journal.WriteError is null)
        {
            WhenStored(batch.CompleteAll);
            return;
        }
        batch.Complete([.. batch.Requests.Where(request => request.IsRejected)]);
        List<QueueRequest> done = [.. batch.Requests.Where(request => !request.IsRejected)];
        WhenStored(() => batch.Complete(done));
    }

    internal void Do(QueueRequest request)
    {
        if (Change(false, () => request.TryDo(Now)))
            Dispatch();
    }

    /// <summary>Checks whether the messages can be accepted. Requires the lock.</summary>
    internal QueueResult CanSend(MessageContent[] messages) =>
        Failure is not null ? QueueResult.Failed
        : CanTake(messages) is not QueueResult.Done and var rejection ? rejection
        : _broker.Memory.IsExhausted ? QueueResult.BrokerFull
        : JournalError is not null ? QueueResult.NotStored
        : QueueResult.Done;

    /// <summary>Accepts a forwarded message regardless of memory and disk limits. It's delivered with the next <see
    /// cref="Dispatch"/>.</summary>
    internal QueueResult TakeForwarded(QueuedMessage original, MessageContent content, string? deadLetterSource) =>
        Change(QueueResult.Failed, () =>
        {
            if (CanTake(content) is not QueueResult.Done and var rejection)
                return rejection;
            var now = Now;
            Contents.AddForwarded(original, content, deadLetterSource, now);
            Use.Touch(now);
            return QueueResult.Done;
        });

    /// <summary>Accepts a message from its topic regardless of limits. It's delivered with the next <see
    /// cref="Dispatch"/>.</summary>
    internal void TakeOver(QueuedMessage original, MessageContent content) =>
        Change(() =>
        {
            if (!_isDeleted)
                Contents.TakeOver(original, content);
        });

    /// <summary>Moves a message of the topic directly to the dead-letter queue.</summary>
    internal void TakeOverDead(QueuedMessage original, string reason, string description) =>
        Change(() =>
        {
            if (!_isDeleted)
                Contents.TakeOverDead(original, original.Content, reason, description);
        });

    internal void AcceptDeadLetter(QueuedMessage dead, IReadOnlyDictionary<string, object?> reason)
    {
        // Lock order: the caller holds the lock of the parent, or of the dead-letter queue that couldn't forward the
        // message.
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

    /// <summary>Adds a receiver. It gets no messages until it signals credit.</summary>
    internal QueueReceiver AddReceiver(
        ReceiveMode mode,
        Func<QueuedMessage, MessageLock?, DeliveryResult> deliver,
        Action<Exception> onFailed,
        Action? onExhausted = null,
        SessionHold? session = null,
        bool isOwn = false
    ) => new(session?.Dispatcher ?? _dispatcher, mode, deliver, onFailed, onExhausted) { IsOwn = isOwn };

    internal Dispatcher NewDispatcher(Lane lane) => new(this, lane, _broker.Defects);

    /// <returns>The new expiry time of the lock; <c>null</c> if it has already expired.</returns>
    internal DateTimeOffset? RenewLock(Guid token) => Change<DateTimeOffset?>(null, () =>
        {
            var now = Now;
            Use.Touch(now);
            if (Contents.FindLocked(token, now) is { } message)
                return Contents.Renew(message);
            Contents.Totals.LockLost++;
            return null;
        });

    /// <summary>Locks or removes deferred messages, all or none.</summary>
    /// <returns>Copies; <c>null</c> if one of them isn't deferred; empty if several messages together exceed <paramref
    /// name="mostBytes"/>.</returns>
    /// <param name="sessionId">The session that must be locked; <c>null</c> for queues without sessions.</param>
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

    /// <summary>Peeks messages in any state. Removes expired deferred messages.</summary>
    internal IReadOnlyList<QueuedMessage> Peek(long fromSequenceNumber, int count, string? sessionId = null)
    {
        var found = new List<QueuedMessage>();
        for (long? next = fromSequenceNumber; next is { } number && found.Count < count; )
        {
            next = Change(null, () =>
            {
                Use.Touch(Now);
                return Contents.Peek(number, count, found, MaxPerHold, sessionId);
            });
        }
        return found;
    }

    /// <summary>Removes all active, scheduled, and deferred messages, but not locked ones.</summary>
    public int Purge() => Drop(int.MaxValue, message => message.State != MessageState.Locked);

    /// <summary>Removes active messages by sequence number.</summary>
    internal int DeleteActive(int limit, DateTimeOffset enqueuedBefore, string? sessionId = null) =>
        Drop(limit, message =>
            message.State == MessageState.Active
            && message.EnqueuedAt < enqueuedBefore
            && (sessionId is null || message.Content.SessionId == sessionId)
        );

    /// <summary>Calls back when everything done so far is stored: immediately, or later on another thread.</summary>
    internal void WhenStored(Action call) => _journal.WhenStored(call);

    internal void Dispatch()
    {
        if (Sessions is null)
            _dispatcher.Run();
        else
            Sessions.Dispatch();
    }

    /// <summary>Changes the contents under the lock. If an exception is thrown, the queue fails.</summary>
    /// <param name="whenFailed">The result if the queue has failed.</param>
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
            dropped += Change(0, () => Contents.Drop(ref numbers, limit - dropped, MaxPerHold, mayGo));
        Dispatch();
        return dropped;
    }
}
