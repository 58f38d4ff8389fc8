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
