namespace DroneDelivery.Lab.Cluster;

/// <summary>Holds that are not answered yet, by the time when they are over. Only the lateness may be read by other threads.</summary>
internal sealed class DueAnswers
{
    // A wait takes whole milliseconds: what is due within half of one goes now, so that answers are right on average.
    private static readonly TimeSpan Tolerance = TimeSpan.FromMilliseconds(0.5);
    private readonly PriorityQueue<(GateReplica Replica, int Id), TimeSpan> _due = new();
    private readonly LatenessCounts _lateness = new();

    public void Add(GateReplica replica, int id, TimeSpan at) => _due.Enqueue((replica, id), at);

    /// <summary>The next that is over, if any is.</summary>
    public bool TryTake(TimeSpan now, out (GateReplica Replica, int Id) hold)
    {
        if (!_due.TryPeek(out hold, out var at) || at > now + Tolerance)
            return false;
        _due.Dequeue();
        _lateness.Add(now - at);
        return true;
    }

    /// <summary>Of all answers so far.</summary>
    public Lateness ReadLateness() => _lateness.Read();

    /// <summary>Milliseconds until the next is over, at most <paramref name="longest"/>.</summary>
    public int Wait(TimeSpan now, int longest) =>
        _due.TryPeek(out _, out var at) ? (int)Math.Clamp(Math.Round((at - now).TotalMilliseconds), 0, longest) : longest;
}
