namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A property's value of a type that only clients know.</summary>
internal interface ISizedValue
{
    /// <summary>In memory, in bytes.</summary>
    long Size { get; }
}

/// <summary>What application properties that receivers changed take in memory, in bytes. Estimated from above.</summary>
internal static class PropertySize
{
    /// <summary>Of all changed properties of one message, reason and description of a dead letter included. The service bounds the header
    /// of a message by the same number.</summary>
    public const long Most = 64 * 1024;

    // An entry of a dictionary with a string for name and an object for value.
    private const int Entry = 128;

    /// <summary>The size when the changes have come over those that the message has.</summary>
    public static long After(QueuedMessage message, IReadOnlyDictionary<string, object?>? changes)
    {
        var size = message.ChangedSize;
        foreach (var (name, value) in changes ?? NoChanges)
        {
            if (message.ChangedProperties?.TryGetValue(name, out var former) == true)
                size -= Of(name, former);
            size += Of(name, value);
        }
        return size;
    }

    /// <summary>Whether the properties that a settlement changes keep within <see cref="Most"/>.</summary>
    public static bool Fits(QueuedMessage message, Settlement settlement) =>
        (settlement.Properties is null && settlement is not Settlement.DeadLettered)
        || After(message, settlement.Properties) + OfReason(settlement) <= Most;

    /// <summary>Of what a settlement brings.</summary>
    public static long Of(Settlement settlement) => Of(settlement.Properties) + OfReason(settlement);

    /// <summary>
    /// More than <see cref="Most"/> for lists, maps and the like: application properties have simple values (AMQP 1.0 §3.2.5).
    /// </summary>
    public static long Of(string name, object? value) =>
        Entry
        + 2L * name.Length
        + value switch
        {
            null => 0,
            string text => 2L * text.Length,
            byte[] bytes => bytes.Length,
            ISizedValue sized => sized.Size,
            ValueType simple => 2L * simple.ToString()!.Length,
            _ => Most + 1,
        };

    private static long OfReason(Settlement settlement) =>
        settlement is Settlement.DeadLettered dead ? Of(DeadLetterReason.Properties(dead.Reason, dead.Description)) : 0;

    private static long Of(IReadOnlyDictionary<string, object?>? properties) =>
        properties?.Sum(property => Of(property.Key, property.Value)) ?? 0;

    private static readonly Dictionary<string, object?> NoChanges = [];
}
