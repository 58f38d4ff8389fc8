namespace DroneDelivery.Model.Simulation.Events;

/// <summary>The scheduled events in chronological order, then in the order of scheduling.</summary>
internal sealed class Timeline
{
    private readonly PriorityQueue<Event, (long At, int Order)> _events = new(256);

    public long Now { get; private set; }

    public int Planned { get; private set; }

    public long NextAt => _events.TryPeek(out _, out var next) ? next.At : Time.Never;

    public void Plan(long at, EventKind kind, int who = 0, int what = 0) =>
        _events.Enqueue(new(kind, who, what), (at, Planned++));

    public Event Take()
    {
        _events.TryDequeue(out var next, out var when);
        Now = when.At;
        return next;
    }

    /// <summary>Advances the clock to an event that isn't scheduled here.</summary>
    public void Advance(long now) => Now = now;
}
