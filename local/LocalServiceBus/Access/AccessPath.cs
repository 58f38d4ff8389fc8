using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>What a token is for. A token for an entity is good for what is below it; one for a dead-letter queue is for that
/// alone.</summary>
internal static class AccessPath
{
    public static string Of(EntityAddress address) => address switch
    {
        { Kind: NodeKind.Claims } => "$cbs",
        { IsDeadLetter: true } => $"{address.Path}/$DeadLetterQueue",
        _ => address.Path,
    };
}
