namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What all queues of a broker hold together. Each queue within its own limit is not enough: anybody may create
/// more of them.</summary>
/// <param name="most">Three quarters of what the process may use, if nobody says otherwise; the rest is for connections and
/// for work.</param>
internal sealed class MemoryUse(long most)
{
    // Queues report in steps, so that messages that come and go don't make them all write to the same place.
    private const long Step = 64 * 1024;

    private long _total;

    /// <summary>In bytes, as charged to the queues.</summary>
    public long Most => most;

    public bool IsExhausted => Volatile.Read(ref _total) >= most;

    /// <param name="reported">What the caller reported so far.</param>
    /// <param name="held">What it holds now.</param>
    public void Report(ref long reported, long held)
    {
        var change = held - reported;
        if (change is > -Step and < Step && held > 0)
            return;
        reported = held;
        if (change != 0)
            Interlocked.Add(ref _total, change);
    }
}
