namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary><c>lab experiment tracking-pixel</c>: the emulated site against arithmetic and against the published figures.</summary>
public sealed class TrackingPixelTests
{
    // All of them manage 400 hits a second.
    private static readonly (string, double)[] Small =
    [
        ("load.users", 200), ("load.ramp", 100), ("load.most", 10_000), ("site.hosts", 2), ("host.cores", 2), ("hit.cpu", 6),
        ("write.cpu", 4), ("table.latency", 1), ("table.sigma", 0), ("host.queueLimit", 1000), ("host.refusal", 1),
    ];

    private static readonly string[] Emulated =
        [.. Experiment.Load("tracking-pixel").Variants.Where(variant => variant.Arm == Arm.Emulated).Select(variant => variant.Name)];

    [Fact]
    public async Task Every_check_of_the_emulated_site_holds()
    {
        var record = await PlayedExperiment.OfAsync("tracking-pixel", Emulated);

        Assert.Empty(record.Failing());
        Assert.Equal(Outcomes.Holds, record.Outcome);
        Assert.All(
            record.Checks.Where(check => !check.Figure.StartsWith("real.", StringComparison.Ordinal)), check => Assert.True(check.Holds));
    }

    [Theory]
    [Breaks]
    [InlineData("host.queueLimit=1000", "pixel-c pixel-h")]   // a host takes fewer hits
    [InlineData("write.cpu=0", "pixel-e")]   // the call to the table costs nothing
    [InlineData("logging.cpu=6", "pixel-f")]   // logging is always on
    [InlineData("host.acu=40", "pixel-g")]   // the hosts are slow
    [InlineData("load.most=100", "pixel-h pixel-i")]   // users wait between their requests
    public async Task A_broken_mechanism_fails_the_checks_that_are_about_it(string knob, string expected)
    {
        var checks = expected.Split(' ').ToHashSet();

        var record = await PlayedExperiment.OfAsync("tracking-pixel", PlayedExperiment.VariantsOf("tracking-pixel", checks), knob);

        Assert.Equal(string.Join(' ', checks), string.Join(' ', record.Failing().Order(StringComparer.Ordinal)));
    }

    [Fact]
    public void A_saturated_site_answers_what_its_cores_manage()
    {
        Assert.Equal(400, TrackingSite.CapacityOf(PlayedExperiment.KnobsOf("tracking-pixel", "s1x1", Small)), 1e-9);
        Assert.Equal(1, Play().Peak / 400, 0.02);
    }

    [Fact]
    public void Throughput_times_latency_is_the_mean_number_of_users() => Assert.Equal(1, Play().UsersInside / 100, 0.03);

    [Fact]
    public void A_hit_beyond_the_limit_is_refused_and_asks_again()
    {
        var result = Play(("host.queueLimit", 50));

        // From half of the ramp on there are users that no host takes: 50 of them in the mean, one refusal a second each.
        Assert.Equal(50 * 50, result.Refused, 250.0);
        Assert.Equal(1, result.Peak / 400, 0.02);
    }

    [Fact]
    public void Hosts_come_one_after_the_other()
    {
        var rate = Play(("site.hosts", 3), ("site.hostsAtStart", 1), ("site.secondsPerHost", 30)).Throughput;

        Assert.Equal([200, 400, 600], new[] { 25, 55, 90 }.Select(second => Math.Round(rate.Values[second / 5] / 20) * 20));
    }

    [Fact]
    public void Nothing_waits_for_the_table_when_nothing_is_stored()
    {
        Assert.Equal(0.51, Play(("load.users", 1), ("table.latency", 500)).Seconds, 0.001);
        Assert.Equal(0.006, Play(("load.users", 1), ("table.latency", 500), ("write.cpu", 0)).Seconds, 0.001);
    }

    private static SiteResult Play(params (string Knob, double Value)[] set)
    {
        var knobs = Small.Where(it => !set.Any(other => other.Knob == it.Item1)).Concat(set);
        return new TrackingSite(PlayedExperiment.KnobsOf("tracking-pixel", "s1x1", [.. knobs])).Play(TestContext.Current.CancellationToken);
    }
}
