namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The memory of all queues. The limits of queues don't bound it, because clients can create more
/// queues.</summary>
/// <param name="limit">The limit in bytes. By default, three quarters of the memory available to the process.</param>
internal sealed class MemoryUse(long limit)
{
    private long _total;

    public long Limit => limit;

    public bool IsExhausted => Volatile.Read(ref _total) >= limit;

    public void Add(long change) => Interlocked.Add(ref _total, change);
}

internal sealed class MemoryShare(MemoryUse use)
{
    // Report in steps, so that queues don't all contend for one counter.
    private const long Step = 64 * 1024;

    private long _reported;
    private bool _isReleased;

    public long Held { get; private set; }

    public void Add(long bytes)
    {
        Held += bytes;
        var change = Held - _reported;
        if (!_isReleased && change != 0 && (change is <= -Step or >= Step || Held <= 0))
            Report(change);
    }

    /// <summary>Releases the memory of a deleted queue. Later changes, such as from a delivery that ends late, don't
    /// count.</summary>
    public void Release()
    {
        if (!_isReleased)
            Report(-_reported);
        _isReleased = true;
    }

    private void Report(long change)
    {
        _reported += change;
        use.Add(change);
    }
}

/// <summary>A property value of a type that only clients define.</summary>
internal interface ISizedValue
{
    long Size { get; }
}

/// <summary>Upper estimates of memory, in bytes.</summary>
internal static class MemorySize
{
    /// <summary>The maximum size of a message's changed properties, including the dead-letter reason and description.
    /// Service Bus has the same limit for headers.</summary>
    public const long MaxProperties = 64 * 1024;

    public const int Message = 512;

    public const int Request = 512;

    // The objects of a session, of an ID for duplicate detection, and of a dictionary entry.
    private const int OwnSession = 1024,
        OwnSeenId = 160,
        Property = 128;

    public static long Session(string id, byte[]? state) => OwnSession + 2L * id.Length + (state?.Length ?? 0);

    public static long SeenId(string id) => OwnSeenId + 2L * id.Length;

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

    public static bool Fits(QueuedMessage message, Settlement settlement) =>
        (settlement.Properties is null && settlement is not Settlement.DeadLettered)
        || After(message, settlement.Properties) + OfReason(settlement) <= MaxProperties;

    public static long Of(Settlement settlement) => Of(settlement.Properties) + OfReason(settlement);

    /// <summary>Returns the size of a property. Exceeds <see cref="MaxProperties"/> for lists, maps, and similar
    /// values, because application properties must be simple (AMQP 1.0 §3.2.5).</summary>
    public static long Of(string name, object? value) =>
        Property
        + 2L * name.Length
        + value switch
        {
            null => 0,
            string text => 2L * text.Length,
            byte[] bytes => bytes.Length,
            ISizedValue sized => sized.Size,
            ValueType simple => 2L * simple.ToString()!.Length,
            _ => MaxProperties + 1,
        };

    private static long OfReason(Settlement settlement) =>
        settlement is Settlement.DeadLettered dead ? Of(DeadLetterReason.Properties(dead.Reason, dead.Description)) : 0;

    private static long Of(IReadOnlyDictionary<string, object?>? properties) =>
        properties?.Sum(property => Of(property.Key, property.Value)) ?? 0;

    private static readonly Dictionary<string, object?> NoChanges = [];
}
