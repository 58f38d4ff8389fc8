namespace Azure.Messaging.ServiceBus;

/// <summary>A message of a session to handle, and the means to settle it.</summary>
public class ProcessSessionMessageEventArgs : EventArgs, ILockWatcher
{
    private readonly ServiceBusSessionReceiver _receiver;
    private readonly OpenSession? _session;
    private readonly TimeProvider? _time;
    private Func<SessionLockLostEventArgs, Task>? _lockLost;
    private LockWatch? _watch;

    public ProcessSessionMessageEventArgs(
        ServiceBusReceivedMessage message, ServiceBusSessionReceiver receiver, CancellationToken cancellationToken)
        : this(message, receiver, receiver?.Identifier ?? "", cancellationToken)
    {
    }

    public ProcessSessionMessageEventArgs(
        ServiceBusReceivedMessage message, ServiceBusSessionReceiver receiver, string identifier, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(receiver);
        Message = message;
        Identifier = identifier;
        CancellationToken = cancellationToken;
        _receiver = receiver;
    }

    /// <param name="time">Clock of the processor.</param>
    internal ProcessSessionMessageEventArgs(
        ServiceBusReceivedMessage message,
        OpenSession session,
        string identifier,
        TimeProvider time,
        CancellationToken cancellationToken)
        : this(message, session.Receiver, identifier, cancellationToken)
    {
        _session = session;
        _time = time;
    }

    /// <summary>Raised while the handler runs, when the session is lost.</summary>
    public event Func<SessionLockLostEventArgs, Task> SessionLockLostAsync
    {
        add
        {
            _lockLost += value;
            // Only processors watch, and only who asks pays for a timer.
            if (_session is not null)
                _watch ??= new LockWatch(_time!, () => SessionLockedUntil, _session.Loss, RaiseLockLostAsync);
        }

        remove => _lockLost -= value;
    }

    public ServiceBusReceivedMessage Message { get; }

    /// <summary>Set when the processor is asked to stop, when the session is lost, and when a handler gives it back.</summary>
    public CancellationToken CancellationToken { get; }

    public string Identifier { get; }

    public string SessionId => _receiver.SessionId;

    public DateTimeOffset SessionLockedUntil => _receiver.SessionLockedUntil;

    public string EntityPath => _receiver.EntityPath;

    public string FullyQualifiedNamespace => _receiver.FullyQualifiedNamespace;

    LockWatch? ILockWatcher.Watch => _watch;

    public virtual Task CompleteMessageAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default) =>
        _receiver.CompleteMessageAsync(message, cancellationToken);

    public virtual Task AbandonMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) => _receiver.AbandonMessageAsync(message, propertiesToModify, cancellationToken);

    public virtual Task DeferMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) => _receiver.DeferMessageAsync(message, propertiesToModify, cancellationToken);

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) => _receiver.DeadLetterMessageAsync(message, propertiesToModify, cancellationToken);

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        string deadLetterReason,
        string? deadLetterErrorDescription = null,
        CancellationToken cancellationToken = default) =>
        _receiver.DeadLetterMessageAsync(message, deadLetterReason, deadLetterErrorDescription, cancellationToken);

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        Dictionary<string, object> propertiesToModify,
        string deadLetterReason,
        string? deadLetterErrorDescription = null,
        CancellationToken cancellationToken = default) =>
        _receiver.DeadLetterMessageAsync(message, propertiesToModify, deadLetterReason, deadLetterErrorDescription, cancellationToken);

    public virtual Task<BinaryData?> GetSessionStateAsync(CancellationToken cancellationToken = default) =>
        _receiver.GetSessionStateAsync(cancellationToken);

    public virtual Task SetSessionStateAsync(BinaryData? sessionState, CancellationToken cancellationToken = default) =>
        _receiver.SetSessionStateAsync(sessionState, cancellationToken);

    public virtual Task RenewSessionLockAsync(CancellationToken cancellationToken = default) =>
        _receiver.RenewSessionLockAsync(cancellationToken);

    /// <summary>No further message of the session is received; it is given back when its handlers have ended.</summary>
    public virtual void ReleaseSession() => _session?.Release();

    /// <summary>Calls the handlers of <see cref="SessionLockLostAsync"/>; tests of handlers call it too.</summary>
    protected internal virtual Task OnSessionLockLostAsync(SessionLockLostEventArgs args) => _lockLost?.Invoke(args) ?? Task.CompletedTask;

    private Task RaiseLockLostAsync(Exception? error) =>
        OnSessionLockLostAsync(new SessionLockLostEventArgs(Message, SessionLockedUntil, error));
}
