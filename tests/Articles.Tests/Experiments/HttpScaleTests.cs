using DroneDelivery.Articles.HttpScale;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class HttpScaleTests
{
    private static readonly (string, double)[] Steady =
    [
        ("load.clients", 100),
        ("scale.alwaysReady", 25),
        ("scale.pace", 10),
        ("scale.laterPace", 10),
        ("coldStart.mu", 6),
        ("coldStart.sigma", 0.5),
        ("load.duration", 20),
    ];

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(16)]
    public void Full_instance_has_the_throughput_of_the_formula(int concurrency)
    {
        var result = Play(("app.concurrency", concurrency), ("load.clients", 25 * concurrency));

        // X(c) = c / (12.0 + 4.08 · c) requests per millisecond.
        Assert.Equal(1, result.Load.PerSecond / (25 * concurrency / (12 + 4.08 * concurrency) * 1000), 0.02);
    }

    [Theory]
    [InlineData(100, 4, 250, 25)]
    [InlineData(101, 4, 250, 26)]
    [InlineData(1000, 4, 200, 200)]
    [InlineData(3, 16, 250, 1)]
    public void Target_is_the_demand_by_concurrency_up_to_the_quota(
        int clients,
        int concurrency,
        int quota,
        int target
    ) =>
        Assert.Equal(
            target,
            new FunctionApp(
                ExperimentRuns.KnobsOf(
                    "http-scale",
                    "c4",
                    ("load.clients", clients),
                    ("app.concurrency", concurrency),
                    ("scale.quota", quota)
                )
            ).Target
        );

    [Fact]
    public void Instances_are_added_at_their_pace()
    {
        var result = Play(
            ("scale.alwaysReady", 0),
            ("scale.pace", 5),
            ("scale.fastUntil", 10),
            ("scale.laterPace", 2),
            ("coldStart.mu", Math.Log(400)),
            ("coldStart.sigma", 0)
        );

        Assert.Equal(25, result.ReadyAt.Count);
        // Ten at five per second, and then fifteen at two per second, each 0.4 s later.
        Assert.Equal(2.3, result.ReadyAt[9], 0.15);
        Assert.Equal(9.8, result.ReadyAt[24], 0.25);
        Assert.All(result.Load.Latencies.Take(4), latency => Assert.True(latency >= 0.5));
    }

    [Fact]
    public void Instance_is_active_in_each_second_in_which_it_responds()
    {
        var active = Play(("scale.alwaysReady", 0), ("scale.pace", 5), ("load.duration", 10)).Load.ActiveHosts;

        // Five are added per second, until there are 25. Each one starts about 0.4 s later.
        Assert.Equal(25, active[^1]);
        Assert.InRange(active.First(hosts => hosts > 0), 1, 5);
        Assert.Equal(active.Order(), active);
    }

    [Fact]
    public void Memory_is_billed_in_steps_from_the_first_request()
    {
        var gigabyteSeconds = FunctionApp.GigabyteSeconds(10, [0, 4.95, 9.9]);

        Assert.Equal(2 * (10 + 5.1 + 1), gigabyteSeconds, 1e-6);
    }

    private static (NetworkResult Load, IReadOnlyList<double> ReadyAt) Play(params (string Knob, double Value)[] set)
    {
        var app = new FunctionApp(ExperimentRuns.KnobsOf("http-scale", "c4", [.. Steady, .. set]));
        return (app.Play(Cancelled), app.ReadyAt);
    }
}
