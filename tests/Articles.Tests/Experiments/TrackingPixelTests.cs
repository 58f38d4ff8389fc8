using DroneDelivery.Articles.TrackingPixel;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class TrackingPixelTests
{
    // All of them manage 400 hits a second.
    private static readonly (string, double)[] Small =
    [
        ("load.users", 200),
        ("load.ramp", 100),
        ("load.most", 10_000),
        ("site.hosts", 2),
        ("host.cores", 2),
        ("hit.cpu", 6),
        ("write.cpu", 4),
        ("table.latency", 1),
        ("table.sigma", 0),
        ("host.queueLimit", 1000),
        ("host.refusal", 1),
    ];

    [Fact]
    public void A_saturated_site_answers_what_its_cores_manage()
    {
        Assert.Equal(400, PixelPlayer.CapacityOf(PlayedExperiment.KnobsOf("tracking-pixel", "s1x1", Small)), 1e-9);
        Assert.Equal(1, Play().Peak / 400, 0.02);
        Assert.Equal(1, Play(("load.ramp", 102)).Throughput.Values[^1] / 400, 0.02); // it ends within a bin of 5 s
    }

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

        Assert.Equal(
            [200, 400, 600],
            new[] { 25, 55, 90 }.Select(second => Math.Round(rate.Values[second / 5] / 20) * 20)
        );
    }

    [Fact]
    public void Nothing_waits_for_the_table_when_nothing_is_stored()
    {
        Assert.Equal(0.51, Play(("load.users", 1), ("table.latency", 500)).MeanSeconds, 0.001);
        Assert.Equal(0.006, Play(("load.users", 1), ("table.latency", 500), ("write.cpu", 0)).MeanSeconds, 0.001);
    }

    private static NetworkResult Play(params (string Knob, double Value)[] set) =>
        PixelPlayer.Play(PlayedExperiment.KnobsOf("tracking-pixel", "s1x1", [.. Small, .. set]), Cancelled);
}
