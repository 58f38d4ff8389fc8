using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>What the search may choose from: what its knobs allow, or the one value that was typed.</summary>
internal sealed class TuneRanges
{
    private readonly TuneSetup _setup;

    /// <exception cref="BadInputException">The back ends are told apart, which the search does not.</exception>
    public TuneRanges(TuneSetup setup)
    {
        _setup = setup;
        (Nodes, Ingestion, Workflow) = (RangeOf("nodes.count"), RangeOf("ingestion.replicas"), RangeOf("workflow.replicas", least: 1));
        Backends = BackendsOf();
        Calls = CallsOf((int)setup.Start.Knobs.Number("http.concurrencyLimit"));
        Fits = FitsOf();
    }

    public Numbers Nodes { get; }

    public Numbers Ingestion { get; }

    public Numbers Workflow { get; }

    /// <summary>Replicas of each of them.</summary>
    public Numbers Backends { get; }

    /// <summary>Of one Workflow at a time.</summary>
    public Numbers Calls { get; }

    /// <summary>Deliveries that Redis has room for; 0: it has no limit.</summary>
    public int Fits { get; }

    public bool IsFixed(string knob) => _setup.Fixed[knob] is not null;

    private Numbers RangeOf(string knob, int least = 0)
    {
        var it = KnobTable.Find(knob);
        return _setup.Fixed[knob] is { } value
            ? new((int)value.Number, (int)value.Number)
            : new((int)Math.Max(it.Min, least), (int)it.Max);
    }

    /// <summary>Calls beyond the limit wait or are refused, and the model knows nothing of that. Beyond the prefetch they wait.</summary>
    private Numbers CallsOf(int limit)
    {
        var calls = RangeOf("workflow.maxConcurrentCalls");
        if (IsFixed("workflow.maxConcurrentCalls"))
            return calls;
        var prefetch = _setup.Start.Knobs.Number("workflow.prefetchCount", 0);
        return calls with { Max = IsFixed("workflow.prefetchCount") && prefetch > 0 ? (int)Math.Min(limit, prefetch) : limit };
    }

    private Numbers BackendsOf()
    {
        string[] knobs = ["package.replicas", "dronescheduler.replicas", "delivery.replicas"];
        var numbers = knobs.Where(IsFixed).Select(knob => RangeOf(knob)).Distinct().ToList();
        return numbers.Count switch
        {
            0 => RangeOf(knobs[0]),
            1 => numbers[0],
            _ => throw new BadInputException(
                $"Each back end gets the same number of replicas: set {string.Join(", ", knobs)} to one number, or none of them."),
        };
    }

    /// <summary>Where Redis has a limit, the smallest power of two times it that has room for all; otherwise there is none.</summary>
    private int FitsOf()
    {
        var fits = _setup.Full.Number("redis.deliveriesThatFit", 0);
        if (fits == 0 || IsFixed("redis.deliveriesThatFit"))
            return (int)fits;
        var needed = _setup.Start.K * (_setup.Start.Profile.ExpectedRequests + _setup.Start.MessagesAtStart);
        while (fits < needed && 2 * fits <= KnobTable.Find("redis.deliveriesThatFit").Max)
            fits *= 2;
        return (int)fits;
    }
}
