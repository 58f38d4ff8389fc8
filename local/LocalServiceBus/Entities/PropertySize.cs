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

    /// <summary>
    /// More than <see cref="Most"/> for lists, maps and the like: application properties have simple values (AMQP 1.0 §3.2.5).
    /// </summary>
    public static long Of(string name, object? value) => Entry + 2L * name.Length + value switch
    {
        null => 0,
        string text => 2L * text.Length,
        byte[] bytes => bytes.Length,
        ISizedValue sized => sized.Size,
        ValueType simple => 2L * simple.ToString()!.Length,
        _ => Most + 1,
    };

    private static readonly Dictionary<string, object?> NoChanges = [];
}
