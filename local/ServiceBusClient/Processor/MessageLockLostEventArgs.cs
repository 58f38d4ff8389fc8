namespace Azure.Messaging.ServiceBus;

/// <summary>The lock of a message has ended while its handler runs.</summary>
public class MessageLockLostEventArgs(ServiceBusReceivedMessage message, Exception? exception)
{
    public ServiceBusReceivedMessage Message { get; } = message;

    /// <summary>Why a renewal failed; null: the lock expired.</summary>
    public Exception? Exception { get; } = exception;
}
