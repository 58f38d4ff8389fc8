namespace DroneDelivery.Lab.Experiments;

/// <summary>A clock of an experiment's own: it goes from event to event, so nothing waits.</summary>
internal sealed class EventClock<TEvent>
{
    private readonly PriorityQueue<TEvent, double> _events = new();

    /// <summary>Seconds since the beginning.</summary>
    public double Now { get; private set; }

    /// <param name="at">Seconds since the beginning.</param>
    public void Plan(TEvent it, double at) => _events.Enqueue(it, at);

    /// <summary>Lets happen what is planned, and what that plans, until a time.</summary>
    public void Run(double until, Action<TEvent> happen, CancellationToken cancellationToken)
    {
        while (_events.TryDequeue(out var next, out var time) && time < until)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Now = time;
            happen(next);
        }
    }
}
