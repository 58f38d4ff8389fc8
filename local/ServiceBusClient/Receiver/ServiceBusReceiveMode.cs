namespace Azure.Messaging.ServiceBus;

public enum ServiceBusReceiveMode
{
    /// <summary>The message is locked for this receiver until it settles it or the lock expires.</summary>
    PeekLock,

    /// <summary>The message leaves the queue as it is handed out: at most once.</summary>
    ReceiveAndDelete,
}
