namespace Azure.Messaging.ServiceBus;

/// <summary>A message to handle, and the means to settle it.</summary>
public class ProcessMessageEventArgs : EventArgs
{
    private readonly ServiceBusReceiver _receiver;

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

    public ServiceBusReceivedMessage Message { get; }

    /// <summary>Set when the processor is asked to stop.</summary>
    public CancellationToken CancellationToken { get; }

    public string Identifier { get; }

    public string EntityPath => _receiver.EntityPath;

    public string FullyQualifiedNamespace => _receiver.FullyQualifiedNamespace;

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
}
