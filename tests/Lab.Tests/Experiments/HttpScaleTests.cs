namespace DroneDelivery.Lab.Tests.Experiments;

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
    public void A_full_instance_serves_what_the_formula_says(int concurrency)
    {
        var result = Play(("app.concurrency", concurrency), ("load.clients", 25 * concurrency));

        // X(c) = c / (12.0 + 4.08 · c) requests in a millisecond.
        Assert.Equal(1, result.RequestsPerSecond / (25 * concurrency / (12 + 4.08 * concurrency) * 1000), 0.02);
    }

    [Theory]
    [InlineData(100, 4, 250, 25)]
    [InlineData(101, 4, 250, 26)]
    [InlineData(1000, 4, 200, 200)]
    [InlineData(3, 16, 250, 1)]
    public void The_target_is_the_demand_by_the_concurrency_as_far_as_the_quota_goes(
        int clients,
        int concurrency,
        int quota,
        int target
    ) =>
        Assert.Equal(
            target,
            FunctionApp.TargetOf(
                PlayedExperiment.KnobsOf(
                    "http-scale",
                    "c4",
                    ("load.clients", clients),
                    ("app.concurrency", concurrency),
                    ("scale.quota", quota)
                )
            )
        );

    [Fact]
    public void Instances_are_added_at_their_pace_and_take_requests_when_they_have_started()
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
        // Ten at five a second, then fifteen at two a second, each 0.4 s later.
        Assert.Equal(2.3, result.ReadyAt[9], 0.15);
        Assert.Equal(9.8, result.ReadyAt[24], 0.25);
        Assert.All(result.Latencies.Take(4), latency => Assert.True(latency >= 0.5));
    }

    [Fact]
    public async Task The_articles_query_counts_the_instances_that_answered_in_each_second()
    {
        var result = Play(("scale.alwaysReady", 0), ("scale.pace", 5), ("load.duration", 10));

        var line = await FunctionAppTelemetry.InstancesAsync(result, Cancel);

        var counted = result.Answers.Select(
            (answers, second) => ((double)second, (double)answers.Count(count => count > 0))
        );
        Assert.Equal(counted.Where(it => it.Item2 > 0), line.Seconds.Zip(line.Values));
        Assert.Equal(result.Latencies.Count, result.Answers.Sum(answers => answers.Sum()));
        // Five a second, until there are 25; each begins some 0.4 s later.
        Assert.Equal(25, line.Values[^1]);
        Assert.InRange(line.Values[0], 1, 5);
    }

    [Fact]
    public void Memory_is_billed_from_the_first_request_in_steps_and_for_a_second_at_least()
    {
        var result = new ScaleResult(10, [0.1f], [0, 4.95, 9.9]);

        Assert.Equal(2 * (10 + 5.1 + 1), result.GigabyteSeconds, 1e-6);
    }

    private static ScaleResult Play(params (string Knob, double Value)[] set) =>
        new FunctionApp(PlayedExperiment.KnobsOf("http-scale", "c4", [.. Steady, .. set])).Play(Cancel);
}
