namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A shared access rule of a queue or topic. Its keys sign tokens for the entity and its
/// subentities.</summary>
/// <param name="Rights"><c>Listen</c>, <c>Send</c>, or <c>Manage</c>.</param>
public sealed record EntityKeys(
    string Name,
    string PrimaryKey,
    string SecondaryKey,
    IReadOnlyList<string> Rights,
    DateTimeOffset CreatedAt
);
