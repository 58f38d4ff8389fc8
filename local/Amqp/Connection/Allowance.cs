namespace DroneDelivery.Amqp;

/// <summary>Limits the resources that one peer can occupy, across its sessions.</summary>
/// <param name="onRoom">Called under the lock when an exhausted limit has room again.</param>
internal sealed class Allowance(AmqpConnectionOptions options, Action onRoom)
{
    private int _links;
    private long _partialBytes;

    /// <summary>Deliveries that the peer hasn't settled.</summary>
    public Level Unsettled { get; } = new(options.MaxUnsettled, onRoom);

    /// <summary>Bytes of partially sent messages that wait for their session's window.</summary>
    public Level Blocked { get; } = new(options.MaxPartialBytes, onRoom);

    public bool TryAddLink()
    {
        if (_links >= options.MaxLinks)
            return false;
        _links++;
        return true;
    }

    public void RemoveLink() => _links--;

    /// <summary>Adds bytes of an incomplete message, or bytes that are kept for the peer. The first part always fits,
    /// because a link's own limit applies to a single message. Thread-safe.</summary>
    public bool TryAddPart(long bytes, long before)
    {
        var after = Interlocked.Add(ref _partialBytes, bytes);
        if (after <= options.MaxPartialBytes || after - bytes <= before)
            return true;
        Interlocked.Add(ref _partialBytes, -bytes);
        return false;
    }

    public void RemoveParts(long bytes) => Interlocked.Add(ref _partialBytes, -bytes);
}

/// <summary>An amount with a limit. Once full, it stays full until an eighth is free, so that waiting senders aren't
/// woken for each small decrease.</summary>
/// <param name="limit">The limit. A single step can exceed it.</param>
internal sealed class Level(long limit, Action onRoom)
{
    private volatile bool _isFull;

    /// <summary>Can be read without the lock.</summary>
    public bool IsFull => _isFull;

    /// <summary>Requires the lock.</summary>
    public long Amount { get; private set; }

    public void Add(long change)
    {
        Amount += change;
        if (Amount >= limit)
        {
            _isFull = true;
        }
        else if (_isFull && Amount <= limit - Math.Max(1, limit / 8))
        {
            _isFull = false;
            onRoom();
        }
    }
}
