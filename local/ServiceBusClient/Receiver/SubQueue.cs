namespace Azure.Messaging.ServiceBus;

/// <summary>A queue inside a queue.</summary>
public enum SubQueue
{
    None,
    DeadLetter,
    TransferDeadLetter,
}
