namespace Azure.Messaging.ServiceBus;

/// <summary>A message to handle, and the means to settle it.</summary>
public class ProcessMessageEventArgs : EventArgs, ILockWatcher
{
    private readonly ServiceBusReceiver _receiver;
    private readonly TimeProvider? _time;
    private Func<MessageLockLostEventArgs, Task>? _lockLost;
    private TaskCompletionSource<Exception>? _loss;
    private LockWatch? _watch;

    public ProcessMessageEventArgs(ServiceBusReceivedMessage message, ServiceBusReceiver receiver, CancellationToken cancellationToken)
        : this(message, receiver, receiver?.Identifier ?? "", cancellationToken)
    {
    }

    public ProcessMessageEventArgs(
        ServiceBusReceivedMessage message, ServiceBusReceiver receiver, string identifier, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(receiver);
        Message = message;
        Identifier = identifier;
        CancellationToken = cancellationToken;
        _receiver = receiver;
    }

    /// <param name="time">Clock of the processor.</param>
    internal ProcessMessageEventArgs(
        ServiceBusReceivedMessage message,
        ServiceBusReceiver receiver,
        string identifier,
        TimeProvider time,
        CancellationToken cancellationToken)
        : this(message, receiver, identifier, cancellationToken) => _time = time;

    /// <summary>Raised while the handler runs, when the lock of its message has expired, or when the broker refuses to renew it.</summary>
    public event Func<MessageLockLostEventArgs, Task> MessageLockLostAsync
    {
        add
        {
            _lockLost += value;
            // Only processors watch, and only who asks pays for a timer.
            if (_time is null || Message.LockTokenGuid == Guid.Empty)
                return;
            _loss ??= new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
            _watch ??= new LockWatch(_time, LockedUntil, _loss.Task, RaiseLockLostAsync);
        }

        remove => _lockLost -= value;
    }

    public ServiceBusReceivedMessage Message { get; }

    /// <summary>Set when the processor is asked to stop.</summary>
    public CancellationToken CancellationToken { get; }

    public string Identifier { get; }

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
        IDictionary<string, object> propertiesToModify,
        string deadLetterReason,
        string? deadLetterErrorDescription = null,
        CancellationToken cancellationToken = default) =>
        _receiver.DeadLetterMessageAsync(message, propertiesToModify, deadLetterReason, deadLetterErrorDescription, cancellationToken);

    public virtual Task RenewMessageLockAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default) =>
        _receiver.RenewMessageLockAsync(message, cancellationToken);

    /// <summary>Calls the handlers of <see cref="MessageLockLostAsync"/>; tests of handlers call it too.</summary>
    protected internal virtual Task OnMessageLockLostAsync(MessageLockLostEventArgs args) => _lockLost?.Invoke(args) ?? Task.CompletedTask;

    internal void OnLockLost(Exception error) => _loss?.TrySetResult(error);

    // The holder has ended the lock of a settled message.
    private DateTimeOffset LockedUntil() => Message.IsSettled ? DateTimeOffset.MaxValue : Message.LockedUntil;

    private Task RaiseLockLostAsync(Exception? error) => OnMessageLockLostAsync(new MessageLockLostEventArgs(Message, error));
}
