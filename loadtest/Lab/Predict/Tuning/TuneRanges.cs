using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>What the search may choose from: what its knobs allow, or the one value that was typed.</summary>
internal sealed class TuneRanges(TuneSetup setup)
{
    public Numbers Nodes { get; } = RangeOf(setup, "nodes.count");

    public Numbers Ingestion { get; } = RangeOf(setup, "ingestion.replicas");

    public Numbers Workflow { get; } = RangeOf(setup, "workflow.replicas", least: 1);

    public Numbers Backends { get; } = BackendsOf(setup);

    public Numbers Calls { get; } = CallsOf(setup, (int)setup.Start.Knobs.Number("http.concurrencyLimit"));

    /// <summary>Deliveries that Redis has room for; 0: it has no limit.</summary>
    public int Fits { get; } = FitsOf(setup);

    private static Numbers RangeOf(TuneSetup setup, string knob, int least = 0)
    {
        var it = KnobTable.Find(knob);
        return setup.Fixed[knob] is { } value
            ? new((int)value.Number, (int)value.Number)
            : new((int)Math.Max(it.Min, least), (int)it.Max);
    }

    /// <summary>Calls beyond the limit wait or are refused, and the model knows nothing of that. Beyond the prefetch they wait.</summary>
    private static Numbers CallsOf(TuneSetup setup, int limit)
    {
        var calls = RangeOf(setup, "workflow.maxConcurrentCalls");
        if (setup.IsFixed("workflow.maxConcurrentCalls"))
            return calls;
        var prefetch = setup.Start.Knobs.Number("workflow.prefetchCount", 0);
        return calls with
        {
            Max = setup.IsFixed("workflow.prefetchCount") && prefetch > 0 ? (int)Math.Min(limit, prefetch) : limit,
        };
    }

    private static Numbers BackendsOf(TuneSetup setup)
    {
        string[] knobs = ["package.replicas", "dronescheduler.replicas", "delivery.replicas"];
        var numbers = knobs.Where(setup.IsFixed).Select(knob => RangeOf(setup, knob)).Distinct().ToList();
        return numbers.Count switch
        {
            0 => RangeOf(setup, knobs[0]),
            1 => numbers[0],
            _ => throw new BadInputException(
                $"Each back end gets the same number of replicas: set {string.Join(", ", knobs)} to one number, or none of them."
            ),
        };
    }

    /// <summary>Where Redis has a limit, the smallest power of two times it that has room for all; otherwise there is none.</summary>
    private static int FitsOf(TuneSetup setup)
    {
        var fits = setup.Full.Number("redis.deliveriesThatFit", 0);
        if (fits == 0 || setup.IsFixed("redis.deliveriesThatFit"))
            return (int)fits;
        var needed = setup.Start.K * (setup.Start.Profile.ExpectedRequests + setup.Start.MessagesAtStart);
        while (fits < needed && 2 * fits <= KnobTable.Find("redis.deliveriesThatFit").Max)
            fits *= 2;
        return (int)fits;
    }
}
