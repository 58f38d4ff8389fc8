using DroneDelivery.Model;

namespace DroneDelivery.Articles.GatewayPolicies;

/// <summary>Measures the cost of gateway policies: in throughput, latency, and price.</summary>
internal sealed class GatewayPlayer : Player
{
    private const string Tiers = "tiers";
    private static readonly double[] Rates = [500, 1000, 2000, 4000, 8000];

    public override void RequireMachine(Scene scene) => RealArm.RequireMachine(RealGateway.PlanOf(scene));

    public override Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken) =>
        RealArm.MeasureAsync(
            RealGateway.PlanOf(scene),
            scene,
            async (application, token) => (await RealGateway.MeasureAsync(application, scene, token)).Exhibits(),
            cancellationToken
        );

    public override Exhibits Emulate(Scene scene, CancellationToken cancellationToken)
    {
        var knobs = scene.Knobs;
        if (scene.Variant.Name == Tiers)
            return Rent(knobs);
        scene.Progress.Report(
            $"{knobs["load.users"]:#,0} users on {knobs["gateway.servers"]} servers, {knobs["load.duration"]:0} s are simulated"
        );
        var load = GatewayLoad.Play(knobs, cancellationToken);
        var result = load.Result;
        return Exhibits.Of(
            scene.Variant,
            SaysOfCost(knobs),
            [
                new("requests/s", result.PerSecond, "#,0", "rps"),
                new("forwarded/s", load.ForwardedPerSecond, "#,0", "forwarded"),
                new("CPU %", load.Busy * 100, "0", "cpu"),
                new("mean s", result.MeanSeconds, "0.000", "seconds"),
                new("p50 s", result.Percentile(0.5), "0.000", "p50"),
                new("p95 s", result.Percentile(0.95), "0.000", "p95"),
                new("users / throughput − think time, s", load.SecondsByLaw, "0.000"),
                new(null, result.MeanSeconds / load.SecondsByLaw, "", "law"),
            ],
            new("Completed requests", load.Says(), "requests/s", [result.Throughput, load.Wanted()])
        );
    }

    private static string SaysOfCost(Knobs knobs)
    {
        var cost = PolicyCost.OfRequest(knobs);
        var refuses = knobs.IsOn("request.validate") && knobs.IsOn("request.invalid");
        var refused = refuses ? $", and a rejected one {cost.Refused:0.00} ms" : "";
        return $"Simulated. A request uses {cost.Accepted:0.00} ms of server CPU time{refused}.";
    }

    private static Exhibits Rent(Knobs knobs)
    {
        var tiers = new TierTable(knobs);
        var each = PolicyCost.Of(knobs);
        var wanted = knobs["tier.wanted"];
        string[] names = ["returnResponse", "forward", "forwardPost", "validate"];
        var figures = new Dictionary<string, double>();
        foreach (var (name, set) in names.Zip(each.Sets))
        {
            var cheapest = tiers.Cheapest(wanted, set.Cost);
            figures[$"{Tiers}.{name}"] = cheapest?.Price ?? double.NaN;
        }
        var table = new ExperimentTable(
            "Lowest monthly price",
            "A unit of a tier has the measured rate of Basic, scaled by the published rates. Prices are the article's.",
            ["requests/s#", .. each.Sets.Select(set => set.Name)],
            [.. Rates.Append(wanted).Distinct().Order().Select(Row)]
        );
        return new(figures) { Tables = [table] };

        IReadOnlyList<string> Row(double rate) =>
            [$"{rate:#,0}", .. each.Sets.Select(set => tiers.Cheapest(rate, set.Cost)?.ToString() ?? "none")];
    }
}

/// <summary>The emulated gateway under full load.</summary>
/// <param name="Busy">CPU utilization of the servers, from 0 to 1.</param>
internal sealed record GatewayLoad(Knobs Knobs, NetworkResult Result, double ForwardedPerSecond, double Busy)
{
    /// <summary>Mean latency by the law of the closed loop: users / throughput − think time.</summary>
    public double SecondsByLaw => Users / Result.PerSecond - ThinkMean;

    public string Says()
    {
        if (Busy <= 0.95)
            return $"The servers aren't saturated: the users send only {Result.PerSecond:#,0} requests per second.";
        var wanted = Users / ThinkMean;
        return $"The servers are saturated: {Result.PerSecond:#,0} requests per second, where the users would send {wanted:#,0}.";
    }

    /// <summary>Returns the requested rate if responses took no time.</summary>
    public ChartLine Wanted()
    {
        var rates = new List<double>();
        foreach (var second in Result.Throughput.Seconds)
        {
            var users = Math.Min(Users, second * Knobs["load.spawn"]);
            rates.Add(users / ThinkMean);
        }
        return new("without waiting", Result.Throughput.Seconds, rates);
    }

    private int Users => Knobs.Count("load.users");

    private double ThinkMean => (ThinkLeastOf(Knobs) + Knobs["load.thinkMost"]) / 2;

    public static GatewayLoad Play(Knobs knobs, CancellationToken cancellationToken)
    {
        var servers = knobs.Count("gateway.servers");
        var plateauFrom = Math.Max(0, knobs["load.duration"] - knobs["load.plateau"]);
        var busy = 0.0;
        var forwarded = 0;
        var backend = new LogNormal(Math.Log(knobs["backend.latency"]), knobs["backend.sigma"]);
        var network = new ClosedNetwork(
            NetworkOf(knobs) with
            {
                MeasuredFrom = plateauFrom,
                WaitAfter = (random, work, now) =>
                {
                    var isMeasured = now >= plateauFrom;
                    if (isMeasured)
                        busy += work.Cpu;
                    if (!work.IsForwarded)
                        return 0;
                    if (isMeasured)
                        forwarded++;
                    return backend.Next(random) / 1000;
                },
            }
        );
        for (var i = 0; i < servers; i++)
            network.AddHost();
        var result = network.Run(cancellationToken);
        return new(knobs, result, forwarded / result.Seconds, busy / result.Seconds / servers);
    }

    private static Network NetworkOf(Knobs knobs)
    {
        var sigma = knobs["request.sigma"];
        var spread = new LogNormal(-sigma * sigma / 2, sigma); // standard error of a mean
        var cost = PolicyCost.OfRequest(knobs);
        var refusedShare = knobs.IsOn("request.validate") ? knobs["request.invalid"] : 0;
        var least = ThinkLeastOf(knobs);
        var most = knobs["load.thinkMost"];
        return new(knobs.Count("load.users"), knobs["load.duration"], knobs.Count("load.seed"))
        {
            JoinsAt = user => user / knobs["load.spawn"],
            Think = random => least + (most - least) * random.NextDouble(),
            Slots = knobs.Count("gateway.concurrency"),
            Cores = 1,
            HostOf = (user, servers) => user % servers, // users keep their connections
            Work = random =>
            {
                var isRefused = refusedShare > 0 && random.NextDouble() < refusedShare;
                var mean = isRefused ? cost.Refused : cost.Accepted;
                var seconds = mean * spread.Next(random) / 1000;
                return new(seconds, IsForwarded: !isRefused && knobs.IsOn("request.forward"));
            },
        };
    }

    private static double ThinkLeastOf(Knobs knobs) => Math.Min(knobs["load.thinkLeast"], knobs["load.thinkMost"]);
}
