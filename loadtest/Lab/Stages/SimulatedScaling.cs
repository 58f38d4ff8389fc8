namespace DroneDelivery.Lab.Stages;

/// <summary>Other knobs from a moment on, as they are typed: <c>workflow.replicas=6,nodes.count=12 at 240s</c>.</summary>
internal sealed record SimulatedScaling(string Text, KnobSet Knobs, double At)
{
    public const string Grammar = "'KNOB=N[,KNOB=N…] at TIME' with nodes.count and replicas";

    private static readonly Knob Time = new("at", KnobUnit.Seconds, 0, 7200, "", "lab");

    public static SimulatedScaling Parse(string text)
    {
        if (text.Split(" at ", StringSplitOptions.TrimEntries) is not [var knobs, var at])
            throw new BadInputException($"--scale '{text}': expected {Grammar}.");
        var set = KnobSet.Parse(
            knobs.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
        );
        var other = set
            .All.Select(it => it.Knob.Name)
            .FirstOrDefault(name => name != "nodes.count" && !name.EndsWith(".replicas", StringComparison.Ordinal));
        return other is null && !set.IsEmpty
            ? new(text.Trim(), set, Time.Parse(at).Number)
            : throw new BadInputException($"--scale '{text}': {other ?? "nothing"} cannot change; expected {Grammar}.");
    }

    /// <summary>The knobs of a stage at a moment of its full length.</summary>
    public static KnobSet KnobsAt(StagePlan plan, double at) =>
        plan
            .Options.Scalings.OrderBy(scaling => scaling.At)
            .TakeWhile(scaling => scaling.At <= at)
            .Aggregate(plan.Knobs, (knobs, scaling) => knobs.With(scaling.Knobs));

    public void RequireIn(StagePlan plan) => RequireIn(plan, At, $"--scale '{Text}'");

    /// <param name="at">Seconds at full length.</param>
    public static void RequireIn(StagePlan plan, double at, string what)
    {
        if (at >= plan.TotalSeconds * plan.K)
        {
            throw new BadInputException(
                $"{what}: stage {plan.Stage.Id} is over after {plan.TotalSeconds * plan.K:0} s."
            );
        }
    }
}
