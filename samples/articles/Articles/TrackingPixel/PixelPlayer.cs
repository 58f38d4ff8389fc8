using DroneDelivery.Model;

namespace DroneDelivery.Articles.TrackingPixel;

/// <summary>Compares hosts of a tracking pixel that stores each hit in a table, and the costs of writing and logging.</summary>
internal sealed class PixelPlayer : Player
{
    public override void RequireMachine(Scene scene) => RealTracking.RequireMachine(scene);

    public override Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken) =>
        RealTracking.MeasureAsync(scene, cancellationToken);

    public override Exhibits Emulate(Scene scene, CancellationToken cancellationToken)
    {
        var knobs = scene.Knobs;
        scene.Progress.Report(
            $"{knobs["load.users"]:#,0} users on {knobs["site.hosts"]} hosts, {knobs["load.ramp"]:0} s are simulated"
        );
        var result = Play(knobs, cancellationToken);
        return Exhibits.Of(
            scene.Variant,
            $"Simulated. All hosts together can handle {CapacityOf(knobs):#,0} hits per second.",
            [
                new("succeeded", result.Answered, "#,0"),
                new("rejected", result.Refused, "#,0", "failed"),
                new("hosts", knobs["site.hosts"], "0"),
                new("hits/s", result.PerSecond, "#,0", "rps"),
                new("best 5 s", result.Peak, "#,0", "peak"),
                new("mean s", result.MeanSeconds, "0.00", "seconds"),
                new("users by Little's law", result.UsersInside, "#,0", "usersInside"),
            ],
            new(
                "Completed hits",
                $"{result.Refused:#,0} hits were rejected; the highest rate is {result.Peak:0} hits per second.",
                "hits/s",
                [result.Throughput]
            )
        );
    }

    internal static NetworkResult Play(Knobs knobs, CancellationToken cancellationToken)
    {
        var network = new ClosedNetwork(NetworkOf(knobs));
        var hosts = knobs.Count("site.hosts");
        var atStart = Math.Min(hosts, knobs.Count("site.hostsAtStart"));
        for (var i = 0; i < atStart; i++)
            network.AddHost();
        for (var i = atStart; i < hosts; i++)
            network.Plan((i - atStart + 1) * knobs["site.secondsPerHost"], network.AddHost);
        return network.Run(cancellationToken);
    }

    /// <summary>Returns the capacity of all hosts, in hits per second.</summary>
    internal static double CapacityOf(Knobs knobs) =>
        knobs.Count("site.hosts") * knobs.Count("host.cores") / CpuSecondsOf(knobs);

    private static Network NetworkOf(Knobs knobs)
    {
        var table = new LogNormal(Math.Log(knobs["table.latency"]), knobs["table.sigma"]);
        var cpu = CpuSecondsOf(knobs);
        var turn = 0;
        return new(knobs.Count("load.users"), knobs["load.ramp"], knobs.Count("load.seed"))
        {
            JoinsAt = user => user * knobs["load.ramp"] / knobs.Count("load.users"),
            Pace = 1 / knobs["load.most"],
            Slots = knobs.Count("host.queueLimit"),
            Cores = knobs.Count("host.cores"),
            HostOf = (_, hosts) => turn++ % hosts,
            Refusal = knobs["host.refusal"],
            Work = random => new(cpu, knobs.IsOn("write.cpu") ? table.Next(random) / 1000 : 0),
        };
    }

    /// <summary>Returns the CPU time of a hit, in seconds. The settings apply to a core of 100 ACU.</summary>
    private static double CpuSecondsOf(Knobs knobs) =>
        (knobs["hit.cpu"] + knobs["write.cpu"] + knobs["logging.cpu"]) / 1000 * 100 / knobs["host.acu"];
}
