namespace DroneDelivery.Model.Simulation.Calls;

/// <summary>The memory of the last back end: nothing is evicted, and a delivery that is stored already needs no more.</summary>
/// <param name="fits">Deliveries; null: any number.</param>
internal sealed class Cache(long? fits)
{
    private readonly HashSet<int> _stored = [];

    /// <summary>Calls that failed because the memory was full.</summary>
    public long Failures { get; private set; }

    /// <summary>Whether something else has taken all of it.</summary>
    public bool IsFull { get; set; }

    /// <summary>When it answers again; in the past, if it does not stand still.</summary>
    public long PausedUntil { get; private set; }

    /// <summary>How long a call waits while it stands still.</summary>
    public long Timeout { get; private set; }

    public void Pause(long until, long timeout) => (PausedUntil, Timeout) = (until, timeout);

    /// <returns>False: there is no room.</returns>
    public bool Store(int message)
    {
        var hasRoom =
            !IsFull && (fits is null || _stored.Contains(message) || (_stored.Count < fits && _stored.Add(message)));
        Failures += hasRoom ? 0 : 1;
        return hasRoom;
    }
}
