namespace DroneDelivery.LocalServiceBus.Entities;

/// <param name="Properties">Changes to the application properties; <c>null</c> for none.</param>
internal abstract record Settlement(IReadOnlyDictionary<string, object?>? Properties)
{
    public static Settlement Complete { get; } = new Completed();

    /// <summary>Returns the message with an unchanged delivery count.</summary>
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
