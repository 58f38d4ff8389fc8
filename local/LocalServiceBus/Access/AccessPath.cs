using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>What a token is for. A token for an entity is good for what is below it; one for a dead-letter queue, or for a
/// management node, is for that alone.</summary>
internal static class AccessPath
{
    public static string Of(EntityAddress address)
    {
        var path = address.IsTransfer ? $"{address.Path}/$Transfer/$DeadLetterQueue"
            : address.IsDeadLetter ? $"{address.Path}/$DeadLetterQueue"
            : address.Path;
        return address.Kind switch
        {
            NodeKind.Claims => "$cbs",
            NodeKind.Management => $"{path}/$management",
            _ => path,
        };
    }
}
