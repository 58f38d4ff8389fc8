namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// A simulated run of a stage: the counters of an application with a given capacity. Rates are per second, times in
/// seconds since the start of the load.
/// </summary>
/// <param name="EndsAt">The time of the last completion, when the cache is full or locks expire.</param>
internal sealed record ComputedStage(
    string Stage,
    double Capacity = 0,
    double Load = 1,
    double AtStart = 0,
    double EndsAt = double.PositiveInfinity,
    double ProcessMean = 246,
    int MaxUnsettled = 0,
    int Missing = 0,
    int MissingInTelemetry = 0
)
{
    private const double Step = 0.25;

    public Rates After { get; init; } = new();

    public Rates Always { get; init; } = new();

    public IReadOnlyList<double> Nodes { get; init; } = [0.3, 0.3];

    public IReadOnlyList<string> Knobs { get; init; } = [];

    /// <param name="Outgoing">The rate of delivered messages that are not completed.</param>
    /// <param name="LockLost">The rate of rejected completions, and of rejected dead-letterings.</param>
    internal sealed record Rates(
        double Outgoing = 0,
        double Redelivered = 0,
        double DeadLettered = 0,
        double LockLost = 0,
        double RefusedDeadLetters = 0,
        double OutOfMemory = 0,
        double Completed = 0
    );

    public IReadOnlyDictionary<string, double> Figures() => FigureTable.Of(Measure());

    public Measured Measure()
    {
        var plan = ComputedRun
            .PlanOf($"run {Stage}{string.Concat(Knobs.Select(knob => $" --set {knob}"))}")
            .Played.Single();
        var now = new Totals(0, 0, 0, 0, 0, 0, 0, 0);
        var samples = new List<Sample>();
        for (var at = 0.0; at <= plan.TotalSeconds; at += Step)
        {
            samples.Add(Sample(at, now));
            now = Next(now, at, Load * plan.Profile.UsersAt(at) * 1000 / plan.Profile.RequestEveryMilliseconds);
        }

        var final = samples[^1].Queue;
        var result = NoLoad.ResultOf("own", DateTimeOffset.UnixEpoch, final.Incoming) with
        {
            Accepted = final.Incoming + Missing,
        };
        return new(
            new Series(samples),
            plan.Profile,
            plan.BinSeconds,
            result,
            final,
            (long)AtStart,
            (long)now.OutOfMemory,
            plan.HeldAtMost
        )
        {
            Telemetry = new Dictionary<string, double>
            {
                ["telemetry.processMean"] = ProcessMean,
                ["telemetry.unaccounted"] = MissingInTelemetry,
            },
        };
    }

    private Totals Next(Totals now, double at, double incoming)
    {
        var rates = at >= EndsAt ? After : Always;
        var room = Math.Max(0, AtStart + now.Incoming + incoming * Step - now.Completed - now.DeadLettered);
        var completed = Math.Min(room, (at >= EndsAt ? After.Completed : Capacity) * Step);
        return new(
            now.Incoming + incoming * Step,
            now.Outgoing + completed + rates.Outgoing * Step,
            now.Completed + completed,
            now.Redelivered + rates.Redelivered * Step,
            now.DeadLettered + rates.DeadLettered * Step,
            now.LockLost + rates.LockLost * Step,
            now.RefusedDeadLetters + rates.RefusedDeadLetters * Step,
            now.OutOfMemory + rates.OutOfMemory * Step
        );
    }

    private Sample Sample(double at, Totals now)
    {
        // Whole messages, regardless of rounding: those neither completed nor dead-lettered are in the queue.
        var (incoming, completed, dead) = ((long)now.Incoming, (long)now.Completed, (long)now.DeadLettered);
        var queue = QueueCounters.Zero with
        {
            Incoming = incoming,
            Outgoing = (long)now.Outgoing,
            Completed = completed,
            DeadLettered = dead,
            DeadLetter = dead,
            Redelivered = (long)now.Redelivered,
            LockLost = (long)(now.LockLost + now.RefusedDeadLetters),
            LateCompletes = (long)now.LockLost,
            LateDeadLetters = (long)now.RefusedDeadLetters,
            Active = (long)AtStart + incoming - completed - dead,
            Links = [new(0, 0, MaxUnsettled)],
        };
        return new(at, queue, (long)now.OutOfMemory, (long)now.OutOfMemory)
        {
            NodesBusy = [.. Nodes.Select(node => node * at)],
        };
    }

    private sealed record Totals(
        double Incoming,
        double Outgoing,
        double Completed,
        double Redelivered,
        double DeadLettered,
        double LockLost,
        double RefusedDeadLetters,
        double OutOfMemory
    );
}
