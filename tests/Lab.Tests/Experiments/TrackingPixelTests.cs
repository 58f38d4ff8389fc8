namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary><c>lab experiment tracking-pixel</c>: the emulated site against arithmetic and against the published figures.</summary>
public sealed class TrackingPixelTests
{
    private static readonly SiteSettings Small = new()
    {
        Users = 200,
        RampSeconds = 100,
        MostPerSecond = 10_000,
        Hosts = 2,
        HostsAtStart = 2,
        SecondsPerHost = 1,
        Cores = 2,
        Acu = 100,
        HitMs = 6,
        WriteMs = 4,
        LogMs = 0,
        TableMs = 1,
        TableSigma = 0,
        QueueLimit = 1000,
        RefusalSeconds = 1,
        Seed = 1,
    };

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
        var result = TrackingSite.Play(Small, TestContext.Current.CancellationToken);

        Assert.Equal(400, Small.Capacity, 1e-9);
        Assert.Equal(1, result.Peak / Small.Capacity, 0.02);
    }

    [Fact]
    public void Throughput_times_latency_is_the_mean_number_of_users()
    {
        var result = TrackingSite.Play(Small, TestContext.Current.CancellationToken);

        Assert.Equal(1, result.UsersInside / (Small.Users / 2.0), 0.03);
    }

    [Fact]
    public void A_hit_beyond_the_limit_is_refused_and_asks_again()
    {
        var result = TrackingSite.Play(Small with { QueueLimit = 50 }, TestContext.Current.CancellationToken);

        // From half of the ramp on there are users that no host takes: 50 of them in the mean, one refusal a second each.
        Assert.Equal(50 * 50, result.Refused, 250.0);
        Assert.Equal(1, result.Peak / Small.Capacity, 0.02);
    }

    [Fact]
    public void Hosts_come_one_after_the_other()
    {
        var settings = Small with { Hosts = 3, HostsAtStart = 1, SecondsPerHost = 30 };

        var rate = TrackingSite.Play(settings, TestContext.Current.CancellationToken).Throughput;

        Assert.Equal([200, 400, 600], new[] { 25, 55, 90 }.Select(second => Math.Round(rate.Values[second / 5] / 20) * 20));
    }

    [Fact]
    public void Nothing_waits_for_the_table_when_nothing_is_stored()
    {
        var idle = Small with { Users = 1, TableMs = 500 };

        Assert.Equal(0.51, TrackingSite.Play(idle, TestContext.Current.CancellationToken).Seconds, 0.001);
        Assert.Equal(0.006, TrackingSite.Play(idle with { WriteMs = 0 }, TestContext.Current.CancellationToken).Seconds, 0.001);
    }
}
