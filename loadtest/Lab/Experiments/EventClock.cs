using DroneDelivery.Lab.Judge;

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

/// <summary>Answers of an emulated service over time.</summary>
internal sealed class AnswerBins(double seconds)
{
    private const double Width = 5;
    private readonly int[] _counts = new int[Math.Max(1, (int)(seconds / Width))];

    // The last one has what is left of the time: in a short one a rate would be chance.
    public void Add(double now) => _counts[Math.Min((int)(now / Width), _counts.Length - 1)]++;

    /// <summary>A rate belongs to the whole bin: it stands at its middle.</summary>
    public ExperimentLine PerSecond(string name) =>
        new(
            name,
            [.. _counts.Select((_, i) => i * Width + WidthOf(i) / 2)],
            [.. _counts.Select((count, i) => count / WidthOf(i))]
        );

    private double WidthOf(int bin) => bin < _counts.Length - 1 ? Width : seconds - bin * Width;
}
