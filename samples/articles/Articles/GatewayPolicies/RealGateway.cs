using DroneDelivery.Lab;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Articles.GatewayPolicies;

/// <summary>Measures the CPU cost of policies with Gateway, Ingestion, and the broker on this machine.</summary>
internal static class RealGateway
{
    // The warm-up round is longer, because the runtime compiles hot code a second time.
    private const int WarmUpLength = 3;

    internal static async Task<PolicyMeasurements> MeasureAsync(
        Application application,
        Scene scene,
        CancellationToken cancellationToken
    )
    {
        using var http = Loopback.CreateClient();
        var queue = new QueueControl(http, application.Plan.Broker);
        var before = await queue.ReadAsync(cancellationToken);
        var turns = await RealArm.InTurnAsync(
            scene,
            PolicyLoad.All(),
            load => load.Title,
            async (load, turn) =>
            {
                var measured = await MeasureAsync(load, turn, application, http, scene.Knobs, cancellationToken);
                await queue.PurgeAsync(TimeProvider.System, cancellationToken);
                return measured;
            }
        );
        var after = await queue.ReadAsync(cancellationToken);
        return new([.. turns.SelectMany(it => it.Turns)], after.Incoming - before.Incoming);
    }

    private static async Task<PolicyTurn> MeasureAsync(
        PolicyLoad load,
        int turn,
        Application application,
        HttpClient http,
        Knobs knobs,
        CancellationToken cancellationToken
    )
    {
        var process = application[Service.Gateway, load.Gateway];
        var url = application.Plan.Url(Service.Gateway, load.Gateway);
        var clients = new ClosedClients(http, number => load.Next(url, number), load.Expected);
        var seconds = knobs["real.seconds"];
        if (turn == 0)
            seconds *= WarmUpLength;
        var length = TimeSpan.FromSeconds(seconds);
        var before = process.Cpu;
        var seen = await clients.RunAsync(knobs.Count("real.clients"), length, cancellationToken);
        return new(load, turn, seen, process.Cpu - before);
    }

    internal static ApplicationPlan PlanOf(Scene scene) =>
        RealArm.PlanOf(scene) with
        {
            StartupHooks = new Dictionary<string, string> { [Service.Gateway.Name] = "PolicyPlugin" },
            With = [.. PolicyLoad.Gateways.Select(_ => Service.Gateway)],
            Overrides = RealArm.EachWith(
                Service.Gateway,
                "Gateway:PolicyFile",
                PolicyLoad.Gateways.Select(policies => Folder.Of("policies", $"{policies}.json"))
            ),
        };
}

/// <summary>A load in one round.</summary>
/// <param name="Turn">The round; 0 is the warm-up.</param>
/// <param name="Cpu">The CPU time of the gateway's process.</param>
internal sealed record PolicyTurn(PolicyLoad Load, int Turn, ClosedLoad Seen, TimeSpan Cpu)
{
    public double MicrosecondsEach => Cpu.TotalMicroseconds / Seen.Requests;
}

/// <param name="Turns">All rounds, including the warm-up.</param>
/// <param name="Reached">The number of messages that Ingestion sent.</param>
internal sealed record PolicyMeasurements(IReadOnlyList<PolicyTurn> Turns, long Reached)
{
    private IEnumerable<IGrouping<PolicyLoad, PolicyTurn>> Measured =>
        Turns.Where(turn => turn.Turn > 0).GroupBy(turn => turn.Load);

    public Exhibits Exhibits() => new(Figures()) { Tables = [Table()] };

    internal Dictionary<string, double> Figures()
    {
        var forward = Cpu("forward");
        var forwardPost = Cpu("forwardPost");
        var validate = Cpu("validate");
        var dearestRefusal = Measured
            .Where(load => load.Key.IsRefused)
            .Max(load => CpuRatio(load.Key.Name, "validate"));
        var figures = new Dictionary<string, double>
        {
            ["real.forwardPerAnswer"] = CpuRatio("forward", "answer"),
            ["real.postPerGet"] = CpuRatio("forwardPost", "forward"),
            ["real.validatePerGet"] = CpuRatio("validate", "forward"),
            ["real.validatePerPost"] = CpuRatio("validate", "forwardPost"),
            ["real.schemaPerOther"] = SchemaPerOther(),
            ["real.refusalPerValidate"] = dearestRefusal,
            ["real.postShare"] = 100 * (forwardPost - forward) / (validate - forward),
            ["real.refused"] = Answered(load => load.IsRefused),
            ["real.invalid"] = Turns.Where(turn => turn.Load.IsRefused).Sum(turn => turn.Seen.Requests),
            ["real.accepted"] = Answered(load => load.IsAccepted),
            ["real.reached"] = Reached,
            ["real.unexpected"] = Turns.Sum(turn => turn.Seen.Failed),
        };
        foreach (var load in Measured.Select(load => load.Key.Name))
        {
            figures[$"real.{load}.cpu"] = Cpu(load);
            figures[$"real.{load}.rps"] = PerSecond(load);
        }
        return figures;
    }

    private double SchemaPerOther()
    {
        var ratios = new List<double>();
        foreach (var (invalid, noKey, tooLarge) in Of("invalid").Zip(Of("noKey"), Of("tooLarge")))
        {
            var others = noKey.MicrosecondsEach + tooLarge.MicrosecondsEach;
            ratios.Add(2 * invalid.MicrosecondsEach / others);
        }
        return Percentiles.Median(ratios);
    }

    // Returns the median, which excludes disturbed rounds.
    private double Cpu(string load) => Percentiles.Median(Of(load).Select(turn => turn.MicrosecondsEach));

    private double PerSecond(string load) => Percentiles.Median(Of(load).Select(turn => turn.Seen.PerSecond));

    /// <summary>Returns the ratio within each round, in which the machine is the same for both.</summary>
    private double CpuRatio(string load, string other)
    {
        var ratios = new List<double>();
        foreach (var (one, two) in Of(load).Zip(Of(other)))
            ratios.Add(one.MicrosecondsEach / two.MicrosecondsEach);
        return Percentiles.Median(ratios);
    }

    private IEnumerable<PolicyTurn> Of(string load) => Turns.Where(turn => turn.Turn > 0 && turn.Load.Name == load);

    private double Answered(Func<PolicyLoad, bool> which) =>
        Turns.Where(turn => which(turn.Load)).Sum(turn => turn.Seen.Requests - turn.Seen.Failed);

    private ExperimentTable Table() =>
        new(
            "Gateway, Ingestion, and broker on this machine",
            "Medians of all rounds. CPU time includes only the gateway process. Clients, gateway, Ingestion, and broker share the machine.",
            ["policies", "gateway CPU, µs per request#", "requests/s#", "p50 ms#", "p99 ms#"],
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
}
