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

/// <summary>What one owner holds of the broker's memory.</summary>
internal sealed class MemoryShare(MemoryUse use)
{
    // Owners report in steps, so that messages that come and go don't make them all write to the same place.
    private const long Step = 64 * 1024;

    private long _reported;
    private bool _isReleased;

    /// <param name="held">All that the owner holds now, in bytes.</param>
    public void Report(long held)
    {
        var change = held - _reported;
        if (_isReleased || change == 0 || (change is > -Step and < Step && held > 0))
            return;
        _reported = held;
        use.Add(change);
    }

    /// <summary>The owner is gone: what it may still report, as a delivery that ends late makes it, does not count.</summary>
    public void Release()
    {
        Report(0);
        _isReleased = true;
    }
}
