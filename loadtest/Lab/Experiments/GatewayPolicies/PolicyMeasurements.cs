using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Experiments;

/// <summary>One load of one turn.</summary>
/// <param name="Turn">0 warms up.</param>
/// <param name="Cpu">That the gateway's process used meanwhile.</param>
internal sealed record PolicyTurn(PolicyLoad Load, int Turn, ClosedLoad Seen, TimeSpan Cpu)
{
    public int Requests => Seen.Milliseconds.Count;

    public double MicrosecondsEach => Cpu.TotalMicroseconds / Requests;
}

/// <summary>What the real gateways did.</summary>
/// <param name="Turns">All of them, those that warm up too.</param>
/// <param name="Reached">Messages that Ingestion put into the queue.</param>
internal sealed record PolicyMeasurements(IReadOnlyList<PolicyTurn> Turns, long Reached)
{
    public Exhibits Exhibits() => new(Figures()) { Tables = [Table()], Bars = [Bars()] };

    internal Dictionary<string, double> Figures()
    {
        var loads = Measured.Select(load => load.Key.Name).ToList();
        return new(
            loads
                .ToDictionary(load => $"real.{load}.cpu", Cpu)
                .Concat(loads.ToDictionary(load => $"real.{load}.rps", PerSecond))
        )
        {
            ["real.forwardPerAnswer"] = CpuRatio("forward", "answer"),
            ["real.postPerGet"] = CpuRatio("forwardPost", "forward"),
            ["real.validatePerGet"] = CpuRatio("validate", "forward"),
            ["real.validatePerPost"] = CpuRatio("validate", "forwardPost"),
            ["real.schemaPerOther"] = Percentiles.Median(
                Of("invalid")
                    .Zip(Of("noKey"), Of("tooLarge"))
                    .Select(turn =>
                        2 * turn.First.MicrosecondsEach / (turn.Second.MicrosecondsEach + turn.Third.MicrosecondsEach)
                    )
            ),
            ["real.refusalPerValidate"] = Measured
                .Where(load => load.Key.IsRefused)
                .Max(load => CpuRatio(load.Key.Name, "validate")),
            ["real.postShare"] = 100 * (Cpu("forwardPost") - Cpu("forward")) / (Cpu("validate") - Cpu("forward")),
            ["real.refused"] = Answered(load => load.IsRefused),
            ["real.invalid"] = Turns.Where(turn => turn.Load.IsRefused).Sum(turn => turn.Requests),
            ["real.accepted"] = Answered(load => load.IsAccepted),
            ["real.reached"] = Reached,
            ["real.unexpected"] = Turns.Sum(turn => turn.Seen.Failed),
        };
    }

    private IEnumerable<IGrouping<PolicyLoad, PolicyTurn>> Measured =>
        Turns.Where(turn => turn.Turn > 0).GroupBy(turn => turn.Load);

    // Medians: a turn that something else disturbed does not count.
    private double Cpu(string load) => Percentiles.Median(Of(load).Select(turn => turn.MicrosecondsEach));

    private double PerSecond(string load) => Percentiles.Median(Of(load).Select(turn => turn.Seen.PerSecond));

    /// <summary>Within each turn, where the machine was the same for both.</summary>
    private double CpuRatio(string load, string other) =>
        Percentiles.Median(Of(load).Zip(Of(other), (one, two) => one.MicrosecondsEach / two.MicrosecondsEach));

    private IEnumerable<PolicyTurn> Of(string load) => Turns.Where(turn => turn.Turn > 0 && turn.Load.Name == load);

    private double Answered(Func<PolicyLoad, bool> which) =>
        Turns.Where(turn => which(turn.Load)).Sum(turn => turn.Requests - turn.Seen.Failed);

    private ExperimentTable Table() =>
        new(
            "Gateway, Ingestion and broker on this machine",
            "Medians of the turns. CPU is that of the gateway's process alone. Clients, gateway, Ingestion and broker share the machine.",
            ["policies", "CPU of the gateway, µs a request#", "requests/s#", "p50 ms#", "p99 ms#"],
            [.. Measured.Select(Row)]
        );

    private IReadOnlyList<string> Row(IGrouping<PolicyLoad, PolicyTurn> load)
    {
        var all = ClosedLoad.Together([.. load.Select(turn => turn.Seen)]);
        return
        [
            load.Key.Title,
            $"{Cpu(load.Key.Name):0.0}",
            $"{PerSecond(load.Key.Name):#,0}",
            $"{all.Percentile(0.5):0.00}",
            $"{all.Percentile(0.99):0.00}",
        ];
    }

    private StackedBars Bars()
    {
        var (answer, forward, post, validate) = (Cpu("answer"), Cpu("forward"), Cpu("forwardPost"), Cpu("validate"));
        return new PolicyCost(answer, forward - answer, post - forward, validate - post).Bars(
            "What each policy costs the gateway",
            $"Forwarding makes a request {forward / answer:0.0} times as dear; its body adds {post - forward:0.0} µs, its validation "
                + $"{validate - post:0.0} µs.",
            "µs of CPU a request"
        );
    }
}
