namespace DroneDelivery.LocalServiceBus.Tests.Wire;

public sealed class SettlementLatencyTests
{
    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public void Answers_come_after_a_time_drawn_from_the_distribution()
    {
        var delays = Delays(2000, Math.Log(100), 0.5, seed: 1);
        Assert.Equal(2000, delays.Count);
        Assert.Equal(delays.Order(), delays);
        Assert.InRange(delays[1000], 94, 106); // median e^mu
        Assert.InRange(Math.Log(delays[1680] / delays[1000]), 0.43, 0.57); // one sigma up
        Assert.InRange(delays.Average(), 107, 120); // e^(mu + sigma²/2) = 113
    }

    [Fact]
    public void An_answer_that_throws_is_counted_and_holds_up_no_other()
    {
        var defects = new Defects();
        var latency = new SettlementLatency((Math.Log(100), 0, Seed: 1), _clock, defects);
        var answered = 0;
        latency.Answer(() => throw new InvalidOperationException("broken"));
        latency.Answer(() => answered++);
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((1, 1), (answered, defects.Count));
    }

    [Fact]
    public void A_distribution_beyond_all_bounds_delays_an_hour()
    {
        var latency = new SettlementLatency((1e6, 0, Seed: 1), _clock, new Defects());
        var answered = false;
        latency.Answer(() => answered = true);
        _clock.Advance(TimeSpan.FromMinutes(61));
        Assert.True(answered);
    }

    [Fact]
    public void Equal_seeds_draw_equal_delays() =>
        Assert.Equal(Delays(20, 3, 1, seed: 7), new SettlementLatencyTests().Delays(20, 3, 1, seed: 7));

    private List<double> Delays(int count, double mu, double sigma, int seed)
    {
        var latency = new SettlementLatency((mu, sigma, seed), _clock, new Defects());
        var start = _clock.GetUtcNow();
        var delays = new List<double>();
        for (var i = 0; i < count; i++)
            latency.Answer(() => delays.Add((_clock.GetUtcNow() - start).TotalMilliseconds));
        Assert.Empty(delays);
        _clock.Advance(TimeSpan.FromMinutes(10));
        return delays;
    }
}
