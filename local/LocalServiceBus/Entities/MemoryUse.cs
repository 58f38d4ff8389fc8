namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What all queues of a broker hold together. Each queue within its own limit is not enough: anybody may create
/// more of them.</summary>
/// <param name="most">Three quarters of what the process may use, if nobody says otherwise; the rest is for connections and
/// for work.</param>
internal sealed class MemoryUse(long most)
{
    private long _total;

    /// <summary>In bytes, as charged to the queues.</summary>
    public long Most => most;

    public bool IsExhausted => Volatile.Read(ref _total) >= most;

    public void Add(long change) => Interlocked.Add(ref _total, change);
}

/// <summary>What one queue holds of the broker's memory.</summary>
internal sealed class MemoryShare(MemoryUse use)
{
    // Queues report in steps, so that messages that come and go don't make them all write to the same place.
    private const long Step = 64 * 1024;

    private long _reported;
    private bool _isReleased;

    /// <summary>In bytes.</summary>
    public long Held { get; private set; }

    public void Add(long bytes)
    {
        Held += bytes;
        var change = Held - _reported;
        if (!_isReleased && change != 0 && (change is <= -Step or >= Step || Held <= 0))
            Report(change);
    }

    /// <summary>The queue is gone: what it may still add, as a delivery that ends late makes it, does not count.</summary>
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

/// <summary>The value of a property, of a type that only clients know.</summary>
internal interface ISizedValue
{
    /// <summary>Memory, in bytes.</summary>
    long Size { get; }
}

/// <summary>Upper estimates of the memory that the parts of a queue take, in bytes.</summary>
internal static class MemorySize
{
    /// <summary>The maximum of all changed properties of one message, reason and description of a dead letter included. The service has the
    /// same limit for the header of a message.</summary>
    public const long MaxProperties = 64 * 1024;

    /// <summary>The objects of a message, without its bytes.</summary>
    public const int Message = 512;

    /// <summary>The objects of a step of a transaction.</summary>
    public const int Request = 512;

    // The objects of a session; an id of duplicate detection in a set and in a queue; an entry of a dictionary of properties.
    private const int OwnSession = 1024,
        OwnSeenId = 160,
        Property = 128;

    public static long Session(string id, byte[]? state) => OwnSession + 2L * id.Length + (state?.Length ?? 0);

    public static long SeenId(string id) => OwnSeenId + 2L * id.Length;

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

    /// <summary>Whether the properties that a settlement changes keep within <see cref="MaxProperties"/>.</summary>
    public static bool Fits(QueuedMessage message, Settlement settlement) =>
        (settlement.Properties is null && settlement is not Settlement.DeadLettered)
        || After(message, settlement.Properties) + OfReason(settlement) <= MaxProperties;

    /// <summary>The memory of the properties that a settlement changes.</summary>
    public static long Of(Settlement settlement) => Of(settlement.Properties) + OfReason(settlement);

    /// <summary>
    /// More than <see cref="MaxProperties"/> for lists, maps and the like: application properties have simple values (AMQP 1.0 §3.2.5).
    /// </summary>
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
