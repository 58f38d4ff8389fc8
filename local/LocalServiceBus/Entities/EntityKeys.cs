namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Keys of one queue or topic, with which clients sign tokens for it and what is below it.</summary>
/// <param name="Rights">Listen, Send, Manage.</param>
public sealed record EntityKeys(
    string Name,
    string PrimaryKey,
    string SecondaryKey,
    IReadOnlyList<string> Rights,
    DateTimeOffset CreatedAt
);
