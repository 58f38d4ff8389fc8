namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary><c>lab experiment http-scale</c>: the emulated function app against arithmetic and against the published figures.</summary>
public sealed class HttpScaleTests
{
    private static readonly (string, double)[] Steady =
    [
        ("load.clients", 100), ("scale.alwaysReady", 25), ("scale.pace", 10), ("scale.laterPace", 10), ("coldStart.mu", 6),
        ("coldStart.sigma", 0.5), ("load.duration", 20),
    ];

    [Fact]
    public async Task Every_check_of_the_emulated_app_holds()
    {
        var record = await PlayedExperiment.OfAsync("http-scale", ["c16", "c8", "c4", "c1", "c16-warm", "c4-quota"], "load.duration=60");

        Assert.Empty(record.Failing());
        Assert.Equal(Outcomes.Holds, record.Outcome);
        var emulated = record.Checks.Where(check => !check.Figure.StartsWith("real.", StringComparison.Ordinal));
        Assert.All(emulated, check => Assert.True(check.Holds));
    }

    [Theory]
    [Breaks]
    // a request's time does not depend on others
    [InlineData(
        "request.perRequest=0", 15, "c16 c8 c4", "http-b http-d http-e http-f http-g http-m http-n")]
    [InlineData("scale.quota=100", 60, "c16 c8 c4 c1", "http-b http-e http-f http-h http-l")]   // the quota binds
    [InlineData("load.clients=2000", 20, "c4 c4-quota", "http-q")]   // the quota binds, and a larger one does not
    [InlineData("scale.pace=2", 60, "c16 c4", "http-f http-g http-h")]   // instances are added too slowly
    [InlineData("scale.pace=2", 90, "c1", "http-l")]
    [InlineData("scale.alwaysReady=1000", 60, "c16 c16-warm", "http-o")]   // nothing starts cold
    [InlineData("scale.alwaysReady=0", 60, "c16-warm", "http-p")]   // nothing is always ready
    [InlineData("price.millionExecutions=0", 60, "c16 c4", "http-n")]   // executions are not billed
    // the knob is not applied
    [InlineData(
        "app.concurrency=16", 60, "c16 c8 c4", "http-b http-d http-e http-f http-g http-h http-m http-n")]
    public async Task A_broken_mechanism_fails_the_checks_that_are_about_it(string knob, int seconds, string variants, string expected)
    {
        var record = await PlayedExperiment.OfAsync("http-scale", variants.Split(' '), $"load.duration={seconds}", knob);

        Assert.Equal(expected, string.Join(' ', record.Failing().Order(StringComparer.Ordinal)));
    }

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

    [Fact]
    public void Throughput_times_latency_is_the_number_of_clients()
    {
        var result = Play();

        Assert.Equal(100, result.RequestsPerSecond * result.Latencies.Average(), 1.0);
    }

    [Theory]
    [InlineData(100, 4, 250, 25)]
    [InlineData(101, 4, 250, 26)]
    [InlineData(1000, 4, 200, 200)]
    [InlineData(3, 16, 250, 1)]
    public void The_target_is_the_demand_by_the_concurrency_as_far_as_the_quota_goes(int clients, int concurrency, int quota, int target) =>
        Assert.Equal(target, FunctionApp.TargetOf(PlayedExperiment.KnobsOf(
            "http-scale", "c4", ("load.clients", clients), ("app.concurrency", concurrency), ("scale.quota", quota))));

    [Fact]
    public void Instances_are_added_at_their_pace_and_take_requests_when_they_have_started()
    {
        var result = Play(
            ("scale.alwaysReady", 0), ("scale.pace", 5), ("scale.fastUntil", 10), ("scale.laterPace", 2), ("coldStart.mu", Math.Log(400)),
            ("coldStart.sigma", 0));

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

        var line = await FunctionAppTelemetry.InstancesAsync(result, TestContext.Current.CancellationToken);

        var counted = result.Answers.Select((answers, second) => ((double)second, (double)answers.Count(count => count > 0)));
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

    [Fact]
    public void Equal_seeds_give_equal_runs() => Assert.Equal(Play().Latencies, Play().Latencies);

    private static ScaleResult Play(params (string Knob, double Value)[] set)
    {
        var knobs = Steady.Where(it => !set.Any(other => other.Knob == it.Item1)).Concat(set);
        return new FunctionApp(PlayedExperiment.KnobsOf("http-scale", "c4", [.. knobs])).Play(TestContext.Current.CancellationToken);
    }
}
