namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What a receiver decides about a message it holds.</summary>
/// <param name="Properties">Change the message's application properties; null: nothing changes.</param>
internal abstract record Settlement(IReadOnlyDictionary<string, object?>? Properties)
{
    public static Settlement Complete { get; } = new Completed();

    /// <summary>Gives the message back as if it had never been handed out: its delivery count stays.</summary>
    public static Settlement Release { get; } = new Released();

    public sealed record Completed() : Settlement(Properties: null);

    public sealed record Released() : Settlement(Properties: null);

    public sealed record Abandoned(IReadOnlyDictionary<string, object?>? Properties = null) : Settlement(Properties);

    public sealed record Deferred(IReadOnlyDictionary<string, object?>? Properties = null) : Settlement(Properties);

    public sealed record DeadLettered(
        string? Reason = null,
        string? Description = null,
        IReadOnlyDictionary<string, object?>? Properties = null
    ) : Settlement(Properties);
}
