namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What an entity lets clients do. The names are those of the management API.</summary>
public enum EntityStatus
{
    Active,
    Disabled,
    SendDisabled,
    ReceiveDisabled,
}
