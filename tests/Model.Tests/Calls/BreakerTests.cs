using DroneDelivery.Model.Simulation.Calls;

namespace DroneDelivery.Model.Tests.Calls;

public sealed class BreakerTests
{
    private readonly Breaker _breaker = new(
        new()
        {
            BreakerRatio = 0.75,
            BreakerMinimum = 2,
            BreakerWindowSeconds = 5,
            BreakerBreakSeconds = 3,
        }
    );

    [Fact]
    public void Failures_further_apart_than_the_window_do_not_open_it()
    {
        Fail(0);
        Fail(5.1);
        Assert.True(_breaker.IsClosed);
        Fail(6);
        Assert.False(_breaker.IsClosed);
    }

    [Fact]
    public void Share_of_failures_below_the_ratio_does_not_open_it()
    {
        _breaker.Record(0, failed: false);
        Fail(0.1);
        Fail(0.2);
        Assert.True(_breaker.IsClosed);
        Fail(0.3);
        Assert.False(_breaker.IsClosed);
    }

    [Fact]
    public void Minimum_throughput_counts_each_call_with_its_retries()
    {
        var breaker = new Breaker(
            new()
            {
                BreakerRatio = 0.75,
                BreakerMinimum = 2,
                RetrySeconds = [0, 0.25, 0.75],
            }
        );

        for (var attempt = 0; attempt < 7; attempt++)
            breaker.Record(0, failed: true);
        Assert.True(breaker.IsClosed);
        breaker.Record(0, failed: true);

        Assert.False(breaker.IsClosed);
    }

    [Fact]
    public void Open_breaker_passes_one_probe_that_decides()
    {
        Fail(0);
        Fail(0.1);
        Assert.False(Allows(3));
        Assert.True(Allows(3.2));
        Assert.False(Allows(3.3));
        Fail(3.4);
        Assert.False(Allows(6));
        Assert.True(Allows(6.5));
        _breaker.Record(Time.FromSeconds(6.6), failed: false);
        Assert.True(_breaker.IsClosed);
        Fail(6.7);
        Assert.True(_breaker.IsClosed);
    }

    private void Fail(double seconds) => _breaker.Record(Time.FromSeconds(seconds), failed: true);

    private bool Allows(double seconds) => _breaker.Allows(Time.FromSeconds(seconds));
}
