using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>Receives from one queue or subscription and settles what it received.</summary>
public class ServiceBusReceiver : IAsyncDisposable
{
    // Timers end at 49.7 days, and a try takes its time-out beyond the wait.
    private static readonly TimeSpan LongestWait = TimeSpan.FromDays(49);
    private readonly BusConnection _connection = null!;
    private readonly Reopening<ReceiveLink> _link = null!;
    private readonly Management _management = null!;
    private readonly BusDiagnostics _diagnostics = null!;
    private readonly Retries _retries = null!;
    private readonly ConcurrentQueue<ServiceBusException> _unreadable = [];
    private readonly bool _isProcessor;
    private readonly AcceptedSession? _session;
    private bool _isClosed;
    private long _lastPeeked;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusReceiver()
    {
    }

    internal ServiceBusReceiver(
        BusConnection connection,
        string entityPath,
        ServiceBusReceiverOptions options,
        bool isProcessor = false,
        AcceptedSession? session = null)
    {
        _connection = connection;
        _isProcessor = isProcessor;
        _session = session;
        EntityPath = SubQueuePath.Of(entityPath, options.SubQueue);
        FullyQualifiedNamespace = connection.FullyQualifiedNamespace;
        Identifier = options.Identifier ?? $"{EntityPath}-{Guid.NewGuid()}";
        ReceiveMode = options.ReceiveMode;
        PrefetchCount = options.PrefetchCount;
        _diagnostics = new BusDiagnostics(FullyQualifiedNamespace, EntityPath);
        _management = new Management(connection, EntityPath);
        _retries = connection.NewRetries();
        _link = new Reopening<ReceiveLink>(OpenLinkAsync, one => one.IsOpen, one => one.CloseAsync());
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string EntityPath { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual ServiceBusReceiveMode ReceiveMode { get; }

    public virtual int PrefetchCount { get; private set; }

    public virtual bool IsClosed => _isClosed;

    /// <summary>Nothing will ever be received again.</summary>
    internal bool IsOver => _isClosed || _connection.IsClosed;

    /// <summary>Null: it receives without a session.</summary>
    private protected AcceptedSession? Session => _session;

    /// <summary>The receiver had a session, and its link has ended.</summary>
    private protected bool HasLostSession => _session is { LinkName: not null } && _link.Current is null;

    private Requester By => _session is null ? new(_link.Current?.Name) : new(_session.LinkName, _session.Id);

    /// <param name="maxWaitTime">Default: <see cref="ServiceBusRetryOptions.TryTimeout"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Null when none came within <paramref name="maxWaitTime"/>.</returns>
    public virtual async Task<ServiceBusReceivedMessage?> ReceiveMessageAsync(
        TimeSpan? maxWaitTime = null, CancellationToken cancellationToken = default) =>
        await ReceiveMessagesAsync(1, maxWaitTime, cancellationToken) is [var message] ? message : null;

    /// <returns>At least one message and at most <paramref name="maxMessages"/>; none when none came within
    /// <paramref name="maxWaitTime"/>.</returns>
    public virtual async Task<IReadOnlyList<ServiceBusReceivedMessage>> ReceiveMessagesAsync(
        int maxMessages,
        TimeSpan? maxWaitTime = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxMessages, 1);
        CheckWait(maxWaitTime, nameof(maxWaitTime));
        CheckOpen();
        var wait = maxWaitTime ?? _retries.Options.FirstTryTimeout;
        if (wait > LongestWait)
            wait = LongestWait;
        var started = _connection.Time.GetUtcNow();
        var messages = await _retries.RunAsync(
            static (call, ct) => call.This.ReceiveOnceAsync(call.maxMessages, call.wait, ct),
            (This: this, maxMessages, wait),
            EntityPath,
            cancellationToken,
            extraTime: wait);
        if (!_isProcessor)
            _diagnostics.Received("ServiceBusReceiver.Receive", started, messages);
        return messages;
    }

    /// <summary>Every message as it comes, until cancelled.</summary>
    public virtual async IAsyncEnumerable<ServiceBusReceivedMessage> ReceiveMessagesAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            if (await ReceiveMessageAsync(cancellationToken: cancellationToken) is { } message)
                yield return message;
        }
    }

    /// <summary>Looks at a message without locking it; without a sequence number goes on after the one peeked last.</summary>
    public virtual async Task<ServiceBusReceivedMessage?> PeekMessageAsync(
        long? fromSequenceNumber = null, CancellationToken cancellationToken = default) =>
        await PeekMessagesAsync(1, fromSequenceNumber, cancellationToken) is [var message] ? message : null;

    public virtual async Task<IReadOnlyList<ServiceBusReceivedMessage>> PeekMessagesAsync(
        int maxMessages,
        long? fromSequenceNumber = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxMessages, 1);
        CheckOpen();
        var from = fromSequenceNumber ?? Interlocked.Read(ref _lastPeeked) + 1;
        var messages = await _diagnostics.RunAsync(
            "ServiceBusReceiver.Peek",
            about: default(ServiceBusReceivedMessage),
            static call => call.This.RunAsync(
                static (call, ct) => call.This._management.PeekAsync(call.from, call.maxMessages, call.This.By, ct),
                call,
                call.cancellationToken),
            (This: this, from, maxMessages, cancellationToken));
        if (messages is [.., var last])
            Interlocked.Exchange(ref _lastPeeked, last.SequenceNumber);
        return messages;
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessageNotFound"/>.</exception>
    public virtual async Task<ServiceBusReceivedMessage> ReceiveDeferredMessageAsync(
        long sequenceNumber, CancellationToken cancellationToken = default) =>
        (await ReceiveDeferredMessagesAsync([sequenceNumber], cancellationToken))[0];

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessageNotFound"/>.</exception>
    public virtual async Task<IReadOnlyList<ServiceBusReceivedMessage>> ReceiveDeferredMessagesAsync(
        IEnumerable<long> sequenceNumbers,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sequenceNumbers);
        CheckOpen();
        var numbers = sequenceNumbers.ToArray();
        if (numbers.Length == 0)
            return [];
        var started = _connection.Time.GetUtcNow();
        var messages = await RunAsync(
            static (call, ct) => call.This._management.ReceiveDeferredAsync(call.numbers, call.This.ReceiveMode, call.This.By, ct),
            (This: this, numbers),
            cancellationToken);
        _diagnostics.Received("ServiceBusReceiver.ReceiveDeferred", started, messages);
        return messages;
    }

    public virtual Task CompleteMessageAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default) =>
        SettleAsync("ServiceBusReceiver.Complete", message, Settlement.Complete(), cancellationToken);

    public virtual Task AbandonMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) =>
        SettleAsync("ServiceBusReceiver.Abandon", message, Settlement.Abandon(propertiesToModify), cancellationToken);

    public virtual Task DeferMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) =>
        SettleAsync("ServiceBusReceiver.Defer", message, Settlement.Defer(propertiesToModify), cancellationToken);

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) =>
        SettleAsync("ServiceBusReceiver.DeadLetter", message, Settlement.DeadLetter(null, null, propertiesToModify), cancellationToken);

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        string deadLetterReason,
        string? deadLetterErrorDescription = null,
        CancellationToken cancellationToken = default) =>
        SettleAsync(
            "ServiceBusReceiver.DeadLetter",
            message,
            Settlement.DeadLetter(deadLetterReason, deadLetterErrorDescription, properties: null),
            cancellationToken);

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object> propertiesToModify,
        string deadLetterReason,
        string? deadLetterErrorDescription = null,
        CancellationToken cancellationToken = default) =>
        SettleAsync(
            "ServiceBusReceiver.DeadLetter",
            message,
            Settlement.DeadLetter(deadLetterReason, deadLetterErrorDescription, propertiesToModify),
            cancellationToken);

    /// <summary>Moves <see cref="ServiceBusReceivedMessage.LockedUntil"/> a lock duration from now.</summary>
    /// <exception cref="InvalidOperationException">The receiver has a session, with which its messages are locked.</exception>
    public virtual async Task RenewMessageLockAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default)
    {
        CheckLocked(message);
        if (_session is not null)
            throw new InvalidOperationException("A message of a session is locked as long as the session: renew the lock of the session.");
        message.LockedUntil = await _diagnostics.RunAsync(
            "ServiceBusReceiver.RenewMessageLock",
            message,
            static call => call.This.RunAsync(
                static (call, ct) => call.This._management.RenewLockAsync(call.message.LockTokenGuid, call.This.By, ct),
                call,
                call.cancellationToken),
            (This: this, message, cancellationToken));
    }

    /// <summary>Gives buffered messages back to the broker.</summary>
    public virtual async Task CloseAsync(CancellationToken cancellationToken = default)
    {
        _isClosed = true;
        await _link.DisposeAsync();
        await _management.DisposeAsync();
    }

    public virtual async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>The broker hands out at most so many messages in advance from now on, over the open link too.</summary>
    internal void UpdatePrefetchCount(int prefetchCount)
    {
        PrefetchCount = prefetchCount;
        _link.Current?.SetPrefetchCount(prefetchCount);
    }

    /// <summary>Takes the session; plain receivers open their link with the first receive.</summary>
    /// <exception cref="ServiceBusException">Another receiver has the session, or there was none in time.</exception>
    private protected Task TakeSessionAsync(CancellationToken cancellationToken) =>
        RunAsync(static async (receiver, ct) => await receiver._link.GetAsync(ct), this, cancellationToken);

    /// <summary>Asks about the session that this receiver has.</summary>
    private protected Task<T> AskAsync<TState, T>(
        string activity,
        Func<Management, Requester, TState, CancellationToken, Task<T>> question,
        TState state,
        CancellationToken cancellationToken)
    {
        CheckOpen();
        return _diagnostics.RunAsync(
            activity,
            about: default(ServiceBusReceivedMessage),
            static call => call.This.RunAsync(
                static (call, ct) => call.question(call.This._management, call.This.By, call.state, ct), call, call.cancellationToken),
            (This: this, question, state, cancellationToken));
    }

    private async Task SettleAsync(
        string activity, ServiceBusReceivedMessage message, Settlement settlement, CancellationToken cancellationToken)
    {
        CheckLocked(message);
        await _diagnostics.RunAsync(
            activity,
            message,
            static call => call.This.RunAsync(
                static (call, ct) => call.This.SettleOnceAsync(call.message.LockTokenGuid, call.settlement, ct),
                call,
                call.cancellationToken),
            (This: this, message, settlement, cancellationToken));
        message.IsSettled = true;
    }

    private async Task<bool> SettleOnceAsync(Guid lockToken, Settlement settlement, CancellationToken cancellationToken)
    {
        var refusal = _link.Current is { } current
            ? await current.SettleAsync(lockToken, settlement, cancellationToken)
            : ReceiveLink.NotHeld;
        if (refusal is null)
            return true;
        if (refusal.Condition.Value != ErrorConditions.NotFound)
            throw new AmqpException(refusal);
        // What came over the link of a session is settled there or not at all.
        if (_session is not null && !ReferenceEquals(refusal, ReceiveLink.NotHeld))
            throw SessionLost();
        await _management.SettleAsync(lockToken, settlement, By, cancellationToken);
        return true;
    }

    private async Task<IReadOnlyList<ServiceBusReceivedMessage>> ReceiveOnceAsync(
        int most, TimeSpan wait, CancellationToken cancellationToken)
    {
        ReportUnreadable();
        var current = await _link.GetAsync(cancellationToken);
        var arrivals = await current.ReceiveAsync(most, wait, cancellationToken);
        var messages = new List<ServiceBusReceivedMessage>(arrivals.Count);
        foreach (var arrival in arrivals)
        {
            if (Read(arrival, current) is { } message)
                messages.Add(message);
        }

        if (messages.Count == 0)
            ReportUnreadable();
        return messages;
    }

    /// <returns>Null for a message that cannot be read; it is settled here, because nobody else ever holds it.</returns>
    private ServiceBusReceivedMessage? Read(Arrival arrival, ReceiveLink origin)
    {
        try
        {
            return MessageConversion.FromAmqp(arrival.Payload, arrival.LockToken);
        }
        catch (Exception error) when (error is AmqpException or ArgumentException or FormatException)
        {
            var locks = ReceiveMode == ServiceBusReceiveMode.PeekLock;
            if (locks)
                origin.SettleAtOnce(arrival, Settlement.DeadLetter("UnreadableMessage", error.Message, properties: null).Outcome);
            _unreadable.Enqueue(new ServiceBusException(
                isTransient: false,
                $"A message cannot be read and was {(locks ? "rejected" : "lost")}: {error.Message}",
                EntityPath,
                innerException: error));
            return null;
        }
    }

    /// <summary>A message that cannot be read fails one receive: its own, or the next one when others came with it, which must
    /// not be lost.</summary>
    private void ReportUnreadable()
    {
        if (_unreadable.TryDequeue(out var error))
            throw error;
    }

    private async Task<ReceiveLink> OpenLinkAsync(CancellationToken cancellationToken)
    {
        if (HasLostSession)
            throw SessionLost();
        var amqp = await _connection.ForEntityAsync(EntityPath, cancellationToken);
        var name = $"{Identifier}-{Guid.NewGuid():N}";
        var link = await ReceiveLink.OpenAsync(
            amqp, EntityPath, name, ReceiveMode, PrefetchCount, _session, _connection, cancellationToken);
        link.SetPrefetchCount(PrefetchCount); // it may have changed meanwhile
        return link;
    }

    private Task<T> RunAsync<TState, T>(
        Func<TState, CancellationToken, Task<T>> operation, TState state, CancellationToken cancellationToken) =>
        HasLostSession
            ? Task.FromException<T>(SessionLost())
            : _retries.RunAsync(operation, state, EntityPath, cancellationToken);

    private ServiceBusException SessionLost() => new(
        $"The lock on the session '{_session!.Id}' has ended, or the link that held it: accept the session anew.",
        ServiceBusFailureReason.SessionLockLost,
        EntityPath);

    private void CheckOpen() => ObjectDisposedException.ThrowIf(IsOver, this);

    private void CheckLocked(ServiceBusReceivedMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        CheckOpen();
        if (ReceiveMode != ServiceBusReceiveMode.PeekLock)
        {
            throw new InvalidOperationException(
                $"The receiver of '{EntityPath}' receives and deletes: there is nothing to settle. "
                + $"Receive in {nameof(ServiceBusReceiveMode.PeekLock)} mode.");
        }

        if (message.LockTokenGuid == Guid.Empty)
            throw new InvalidOperationException("The message was peeked, not received: it is not locked and cannot be settled.");
    }

    private void CheckWait(TimeSpan? wait, string parameter)
    {
        if (wait is not { } time)
            return;
        if (time < TimeSpan.Zero || (time == TimeSpan.Zero && PrefetchCount == 0))
            throw new ArgumentOutOfRangeException(parameter, time, "The wait has to be positive; zero is for receivers that prefetch.");
    }
}
