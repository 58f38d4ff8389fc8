namespace DroneDelivery.Model.Simulation.Events;

/// <summary>The events to come: the earliest first, and of the same moment the one that was planned first.</summary>
internal sealed class Timeline
{
    private readonly PriorityQueue<Event, (long At, int Order)> _events = new(256);

    /// <summary>The time of the last event that was taken.</summary>
    public long Now { get; private set; }

    /// <summary>Events that were planned so far.</summary>
    public int Planned { get; private set; }

    /// <summary>When the next event is.</summary>
    public long NextAt => _events.TryPeek(out _, out var next) ? next.At : Time.Never;

    public void Plan(long at, EventKind kind, int who = 0, int what = 0) =>
        _events.Enqueue(new(kind, who, what), (at, Planned++));

    /// <summary>Takes the next event; there has to be one.</summary>
    public Event Take()
    {
        _events.TryDequeue(out var next, out var when);
        Now = when.At;
        return next;
    }

    /// <summary>Something that is not planned here happens.</summary>
    public void Advance(long now) => Now = now;
}
