namespace DroneDelivery.Articles.HttpScale;

/// <summary>Measures how an instance's concurrency affects throughput, latency, scale-out, and cost under a closed load.</summary>
internal sealed class HttpScalePlayer : Player
{
    private const double Million = 1e6;

    public override void RequireMachine(Scene scene) => RealArm.RequireMachine(RealIngestion.LimitedPlanOf(scene));

    public override Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken) =>
        RealIngestion.MeasureAsync(scene, cancellationToken);

    public override Exhibits Emulate(Scene scene, CancellationToken cancellationToken)
    {
        var (knobs, seconds) = (scene.Knobs, scene.Knobs["load.duration"]);
        var app = new FunctionApp(knobs);
        scene.Progress.Report($"{knobs["load.clients"]} clients, {app.Target} instances, {seconds:0} s are simulated");
        var result = app.Play(cancellationToken);
        var instances = app.ReadyAt;
        var secondsTo80 = FunctionApp.SecondsTo(0.8, instances);
        var memory = FunctionApp.GigabyteSeconds(seconds, instances);
        var cost = memory * knobs["price.gigabyteSecond"] / result.Answered * Million;
        return Exhibits.Of(
            scene.Variant,
            "Simulated with the declared times; no request leaves this process.",
            [
                new("requests", result.Answered, "#,0"),
                new("requests/s", result.PerSecond, "#,0", "rps"),
                new("p50 ms", result.Percentile(0.5) * 1000, "0", "p50"),
                new("p90 ms", result.Percentile(0.9) * 1000, "0", "p90"),
                new("p99 ms", result.Percentile(0.99) * 1000, "0", "p99"),
                new("p99.9 ms", result.Percentile(0.999) * 1000, "0", "p99.9"),
                new("instances", instances.Count, "0", "instances"),
                new(null, secondsTo80, "", "secondsTo80"),
                new("GB-s", memory, "#,0"),
                new("$ per million", cost, "0.0000", "cost"),
                new("with executions", cost + knobs["price.millionExecutions"], "0.0000", "costWithExecutions"),
            ],
            new(
                "Distinct instances per second",
                $"{instances.Count} instances; 80% are ready after {secondsTo80:0.0} s.",
                "instances",
                [Active(result)],
                "instances-per-second"
            )
        );
    }

    private static ChartLine Active(NetworkResult result)
    {
        var seconds = result.ActiveHosts.Index().Where(it => it.Item > 0).ToList();
        return new(
            "instances",
            [.. seconds.Select(it => (double)it.Index)],
            [.. seconds.Select(it => (double)it.Item)]
        );
    }
}
