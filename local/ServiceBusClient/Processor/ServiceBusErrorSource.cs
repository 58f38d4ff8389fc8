namespace Azure.Messaging.ServiceBus;

/// <summary>What a processor was doing when the error came.</summary>
public enum ServiceBusErrorSource
{
    Complete,
    Abandon,
    ProcessMessageCallback,
    Receive,
    RenewLock,
    AcceptSession,
    CloseSession,
}
