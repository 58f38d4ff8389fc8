using DroneDelivery.Articles.TrackingPixel;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class TrackingPixelTests
{
    // Each of them handles 400 hits per second.
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
    public void Saturated_site_responds_at_the_rate_of_its_cores()
    {
        Assert.Equal(400, PixelPlayer.CapacityOf(ExperimentRuns.KnobsOf("tracking-pixel", "s1x1", Small)), 1e-9);
        Assert.Equal(1, Play().Peak / 400, 0.02);
        Assert.Equal(1, Play(("load.ramp", 102)).Throughput.Values[^1] / 400, 0.02); // It ends within a bin of 5 s.
    }

    [Fact]
    public void Hit_beyond_the_limit_is_rejected_and_retried()
    {
        var result = Play(("host.queueLimit", 50));

        // From half of the ramp on, no host accepts further users: 50 of them on average, with one rejection per second
        // each.
        Assert.Equal(50 * 50, result.Refused, 250.0);
        Assert.Equal(1, result.Peak / 400, 0.02);
    }

    [Fact]
    public void Hosts_are_added_one_by_one()
    {
        var rate = Play(("site.hosts", 3), ("site.hostsAtStart", 1), ("site.secondsPerHost", 30)).Throughput;

        Assert.Equal(
            [200, 400, 600],
            new[] { 25, 55, 90 }.Select(second => Math.Round(rate.Values[second / 5] / 20) * 20)
        );
    }

    [Fact]
    public void Response_does_not_wait_for_the_table_without_a_write()
    {
        Assert.Equal(0.51, Play(("load.users", 1), ("table.latency", 500)).MeanSeconds, 0.001);
        Assert.Equal(0.006, Play(("load.users", 1), ("table.latency", 500), ("write.cpu", 0)).MeanSeconds, 0.001);
    }

    private static NetworkResult Play(params (string Knob, double Value)[] set) =>
        PixelPlayer.Play(ExperimentRuns.KnobsOf("tracking-pixel", "s1x1", [.. Small, .. set]), Cancelled);
}
