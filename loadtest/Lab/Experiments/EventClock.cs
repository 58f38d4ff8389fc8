namespace DroneDelivery.Lab.Experiments;

/// <summary>A clock of an experiment's own: it goes from event to event, so nothing waits.</summary>
internal sealed class EventClock
{
    private readonly PriorityQueue<Action, double> _events = new();

    /// <summary>Seconds since the beginning.</summary>
    public double Now { get; private set; }

    public void Plan(double at, Action happen) => _events.Enqueue(happen, at);

    public void PlanIn(double seconds, Action happen) => Plan(Now + seconds, happen);

    /// <summary>Lets happen what is planned, and what that plans, until a time.</summary>
    /// <param name="afterEach">Called after each event.</param>
    public void Run(double until, CancellationToken cancellationToken, Action? afterEach = null)
    {
        while (_events.TryDequeue(out var happen, out var time) && time < until)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Now = time;
            happen();
            afterEach?.Invoke();
        }
    }
}
