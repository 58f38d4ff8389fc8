namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// The result of a <c>lab run</c> on the declared nodes by arithmetic, with a CPU cost for each delivery on one of
/// them.
/// </summary>
internal static class ComputedRun
{
    // The latency and CPU of one message.
    private const double SecondsPerMessage = 0.246;

    private static readonly DateTimeOffset Start = new(2030, 1, 1, 8, 0, 3, TimeSpan.Zero);
    public static readonly MachineRecord Machine = new(
        "Linux",
        "X64",
        2,
        8L << 30,
        ".NET 10",
        "abc1234",
        "Redis 7.0.15",
        null
    );

    /// <param name="command">The arguments of <c>./lab</c>: <c>run 4 --set queue.lockDuration=30</c>.</param>
    public static RunRecord Run(string command) => Run(command, measured => measured);

    public static RunRecord Run(string command, Func<Measured, Measured> measured)
    {
        var plan = PlanOf(command);
        var outcomes = plan.Played.Select(stage => Outcome(stage, measured(Play(stage).Measure())));
        return RunRecord.Of(plan, [.. outcomes], Start, "./lab " + command, Machine, null, null, null);
    }

    public static DateTimeOffset StartOf(Stage stage) =>
        Start.AddMinutes(10 * Stage.All().ToList().FindIndex(other => other.Id == stage.Id));

    public static RunPlan PlanOf(string command) => PlanOf(LabCommand.Parse(ShellWords.Of(command)));

    public static RunPlan PlanOf(System.CommandLine.ParseResult parsed)
    {
        var stages = parsed.GetValue<string[]>("stages") is { Length: > 0 } some ? some : [RunPlan.Everything];
        var k = parsed.GetValue<int>("--k");
        var knobs = RunSelection.Knobs(parsed.GetValue<string[]>("--set")!, parsed.GetValue<string[]>("--replicas")!);
        var faults = parsed.GetValue<string[]>("--fault") ?? [];
        return RunPlan.Of(
            stages,
            new(k, knobs, null, "", new Ports(0), 1, false) { Faults = [.. faults.Select(StageFault.Parse)] }
        );
    }

    private static StageOutcome Outcome(StagePlan stage, Measured measured) =>
        new(
            stage,
            StartOf(stage.Stage),
            measured with
            {
                Load = measured.Load with { StartedAt = StartOf(stage.Stage) },
            },
            measured.Series
        );

    private static ComputedStage Play(StagePlan stage)
    {
        var (workflows, calls) = (
            stage.Knobs.Number("workflow.replicas", 0),
            stage.Knobs.Number("workflow.maxConcurrentCalls", 0)
        );
        var nodes = stage.Environment.Nodes!.With(stage.Knobs);
        var placement = Placement.Of(nodes, stage.Knobs, before: null, stage.Options.Seed);
        var ofNodes = Calibration.CapacityOf(nodes, placement);
        var capacity = Math.Min(ofNodes, workflows * calls / SecondsPerMessage);
        var incoming = stage.Profile.MaxUsers * 1000 / stage.Profile.RequestEveryMilliseconds;
        var completed = Math.Min(incoming, capacity);
        double[] busy =
        [
            .. Enumerable.Range(0, nodes.Count).Select(node => BusyOf(nodes, placement, node, incoming, completed)),
        ];
        var wait = (stage.Knobs.Number("workflow.prefetchCount", 0) - calls / 2) / (ofNodes / workflows);
        var healthy = new ComputedStage(stage.Stage.Id)
        {
            Capacity = capacity,
            AtStart = stage.MessagesAtStart,
            Nodes = busy,
        };
        if (stage.Knobs.Number("redis.deliveriesThatFit", 0) > 0)
            return healthy with { EndsAt = 17, After = new(Outgoing: 2.2, DeadLettered: 2.2, OutOfMemory: 6.6) };
        if (stage.Options.Faults is [{ Fault.FromSeconds: var at }] && !SurvivesOutages(stage.Knobs))
            return healthy with { EndsAt = at / stage.K, After = new(Completed: capacity - 5, DeadLettered: 5) };
        // Buffers fill only if the queue is never empty.
        return stage.MessagesAtStart > 0 && wait > stage.Knobs.Number("queue.lockDuration", 0)
            ? healthy with
            {
                EndsAt = stage.Knobs.Number("queue.lockDuration", 0),
                After = new(Outgoing: 103, Redelivered: 57, DeadLettered: 23, LockLost: 70.5, RefusedDeadLetters: 70.5),
            }
            : healthy;
    }

    private static bool SurvivesOutages(KnobSet knobs) =>
        knobs.Number("workflow.retryFor") > 0 || knobs["workflow.holdDuringOutage"]?.Word == "on";

    /// <summary>
    /// Returns the share of a node's CPU that its system, its requests, and its part of each delivery use.
    /// </summary>
    private static double BusyOf(DeclaredNodes nodes, Placement placement, int node, double incoming, double completed)
    {
        var work = Service.All.Sum(service =>
            (service == Service.Ingestion ? incoming : completed)
            * nodes.CpuMilliseconds[service.Name]
            / 1000
            * placement.NodeOf.Count(it => it.Value == node && service.Owns(it.Key))
            / placement.NodeOf.Keys.Count(service.Owns)
        );
        return Math.Min(1, (nodes.System.Servers + work) / nodes.VCpu);
    }
}
