namespace Azure.Messaging.ServiceBus;

/// <summary>The lock of a session has ended while a handler of its messages runs.</summary>
public class SessionLockLostEventArgs(ServiceBusReceivedMessage message, DateTimeOffset sessionLockedUntil, Exception? exception)
    : EventArgs
{
    public ServiceBusReceivedMessage Message { get; } = message;

    public DateTimeOffset SessionLockedUntil { get; } = sessionLockedUntil;

    /// <summary>How the loss was noticed; null: the lock expired.</summary>
    public Exception? Exception { get; } = exception;
}
