namespace DroneDelivery.Model.Simulation.Calls;

/// <summary>The cache of the last back end. It evicts nothing; storing a delivery again takes no memory.</summary>
/// <param name="fits">The capacity in deliveries; <c>null</c> if unlimited.</param>
internal sealed class Cache(long? fits)
{
    private readonly HashSet<int> _stored = [];

    public long Failures { get; private set; }

    /// <summary>Whether an injected fault has filled the cache.</summary>
    public bool IsFull { get; set; }

    /// <summary>When a paused cache resumes; in the past if it isn't paused.</summary>
    public long PausedUntil { get; private set; }

    public long Timeout { get; private set; }

    public void Pause(long until, long timeout) => (PausedUntil, Timeout) = (until, timeout);

    /// <returns><c>false</c> if the cache is full.</returns>
    public bool Store(int message)
    {
        var hasRoom =
            !IsFull && (fits is null || _stored.Contains(message) || (_stored.Count < fits && _stored.Add(message)));
        Failures += hasRoom ? 0 : 1;
        return hasRoom;
    }
}
