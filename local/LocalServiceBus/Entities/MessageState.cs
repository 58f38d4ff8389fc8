namespace DroneDelivery.LocalServiceBus.Entities;

internal enum MessageState : byte
{
    Active,
    Locked,
    Deferred,
    Scheduled,
    Gone,
}
