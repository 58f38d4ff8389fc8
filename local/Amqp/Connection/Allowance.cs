namespace DroneDelivery.Amqp;

/// <summary>What one peer may make this end keep for it, all sessions together.</summary>
/// <param name="onRoom">called under the lock, when something that was full no longer is</param>
internal sealed class Allowance(AmqpConnectionOptions options, Action onRoom)
{
    private int _links;
    private long _partialBytes;

    /// <summary>Deliveries that the peer has not settled.</summary>
    public Level Unsettled { get; } = new(options.MaxUnsettled, onRoom);

    /// <summary>Bytes of messages that were begun and wait for the window of their session.</summary>
    public Level Blocked { get; } = new(options.MaxPartialBytes, onRoom);

    /// <summary>Counts a link that the peer attaches.</summary>
    public bool TryAddLink()
    {
        if (_links >= options.MaxLinks)
            return false;
        _links++;
        return true;
    }

    public void RemoveLink() => _links--;

    /// <summary>Counts bytes of a message that is not complete, or that is kept for the peer. A message alone may be as large as its link
    /// allows. From any thread.</summary>
    public bool TryAddPart(long bytes, long before)
    {
        var after = Interlocked.Add(ref _partialBytes, bytes);
        if (after <= options.MaxPartialBytes || after - bytes <= before)
            return true;
        Interlocked.Add(ref _partialBytes, -bytes);
        return false;
    }

    /// <summary>From any thread.</summary>
    public void RemoveParts(long bytes) => Interlocked.Add(ref _partialBytes, -bytes);
}

/// <summary>
/// An amount with a limit. Additions stop when the limit is reached, and go on when an eighth of it is free again, so that small steps down
/// don't wake all waiting senders each time.
/// </summary>
/// <param name="most">The limit, which one step may exceed.</param>
internal sealed class Level(long most, Action onRoom)
{
    private volatile bool _isFull;

    /// <summary>May be read without the lock.</summary>
    public bool IsFull => _isFull;

    /// <summary>Under the lock.</summary>
    public long Amount { get; private set; }

    /// <param name="change">The change of the amount.</param>
    public void Add(long change)
    {
        Amount += change;
        if (Amount >= most)
        {
            _isFull = true;
        }
        else if (_isFull && Amount <= most - Math.Max(1, most / 8))
        {
            _isFull = false;
            onRoom();
        }
    }
}
