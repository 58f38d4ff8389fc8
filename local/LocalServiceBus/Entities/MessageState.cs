namespace DroneDelivery.LocalServiceBus.Entities;

internal enum MessageState
{
    Active,
    Locked,
    Deferred,
    Scheduled,
    Gone,
}
