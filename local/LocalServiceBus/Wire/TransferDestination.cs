using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The link property with which a client sends to one entity through another: the link's target is the latter.</summary>
internal static class TransferDestination
{
    public static readonly Symbol Name = "com.microsoft:transfer-destination-address";

    /// <summary>Null: the link leads to its target.</summary>
    public static string? Of(Attach attach) => attach.Properties?.GetValueOrDefault(Name) as string;
}
