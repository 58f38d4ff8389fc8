namespace Azure.Messaging.ServiceBus;

public enum ServiceBusMessageState
{
    Active,
    Deferred,
    Scheduled,
}
