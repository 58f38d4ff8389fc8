namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What a receiver decides about a message it holds. Properties, where given, change the message's application
/// properties.</summary>
internal abstract record Settlement
{
    public static Settlement Complete { get; } = new Completed();

    /// <summary>Gives the message back as if it had never been handed out: its delivery count stays.</summary>
    public static Settlement Release { get; } = new Released();

    public sealed record Completed : Settlement;

    public sealed record Released : Settlement;

    public sealed record Abandoned(IReadOnlyDictionary<string, object?>? Properties = null) : Settlement;

    public sealed record Deferred(IReadOnlyDictionary<string, object?>? Properties = null) : Settlement;

    public sealed record DeadLettered(
        string? Reason = null, string? Description = null, IReadOnlyDictionary<string, object?>? Properties = null) : Settlement;
}

internal enum SettleResult
{
    Settled,
    LockLost,

    /// <summary>The same in a queue with sessions.</summary>
    SessionLockLost,

    /// <summary>A message in a dead-letter queue cannot be dead-lettered.</summary>
    NotAllowed,

    /// <summary>See <see cref="PropertySize.Most"/>; the message stays locked.</summary>
    PropertiesTooLarge,
}
