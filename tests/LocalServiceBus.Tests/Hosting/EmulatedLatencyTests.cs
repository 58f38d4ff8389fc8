using DroneDelivery.ServiceBus;
using Microsoft.Extensions.Configuration;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

public sealed class EmulatedLatencyTests
{
    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public void Delays_follow_the_configured_distribution()
    {
        var delays = Delays(2000, Math.Log(100), 0.5, seed: 1);
        Assert.Equal(2000, delays.Count);
        Assert.Equal(delays.Order(), delays);
        Assert.InRange(delays[1000], 94, 106); // The median is e^mu.
        Assert.InRange(Math.Log(delays[1680] / delays[1000]), 0.43, 0.57); // One sigma above.
        Assert.InRange(delays.Average(), 107, 120); // The mean is e^(mu + sigma²/2) = 113.
    }

    [Fact]
    public void Extreme_distribution_delays_an_hour()
    {
        var isSent = false;
        new EmulatedLatency(1e6, 0, 1, _clock).Delay(() => isSent = true);
        _clock.Advance(TimeSpan.FromMinutes(61));
        Assert.True(isSent);
    }

    [Fact]
    public void Equal_seeds_draw_equal_delays() =>
        Assert.Equal(Delays(20, 3, 1, seed: 7), new EmulatedLatencyTests().Delays(20, 3, 1, seed: 7));

    [Fact]
    public void Settings_are_read_from_the_emulation_section()
    {
        var latency = From(("Latency:Mu", "4.60517"), ("Latency:Sigma", "0"), ("Seed", "7"))!;
        var isSent = false;
        latency.Delay(() => isSent = true);
        _clock.Advance(TimeSpan.FromMilliseconds(99));
        Assert.False(isSent);
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(isSent);
    }

    [Fact]
    public void No_latency_is_emulated_without_settings() => Assert.Null(From(("Seed", "7")));

    [Theory]
    [InlineData("Latency:Mu", null)]
    [InlineData("Latency:Mu", "NaN")]
    [InlineData("Latency:Sigma", null)]
    [InlineData("Latency:Sigma", "-1")]
    [InlineData("Seed", null)]
    [InlineData("Seed", "x")]
    public void Invalid_setting_is_reported_by_name(string setting, string? value)
    {
        (string, string?)[] valid = [("Latency:Mu", "1"), ("Latency:Sigma", "1"), ("Seed", "1")];
        var error = Assert.Throws<BrokerStartException>(() =>
            From([.. valid.Where(given => given.Item1 != setting), (setting, value)])
        );
        Assert.Contains($"Emulation:{setting}", error.Message, StringComparison.Ordinal);
    }

    private EmulatedLatency? From(params (string Name, string? Value)[] settings) =>
        EmulatedLatency.From(
            new ConfigurationBuilder()
                .AddInMemoryCollection(
                    settings.ToDictionary(setting => $"Emulation:{setting.Name}", setting => setting.Value)
                )
                .Build(),
            _clock
        );

    private List<double> Delays(int count, double mu, double sigma, int seed)
    {
        var latency = new EmulatedLatency(mu, sigma, seed, _clock);
        var start = _clock.GetUtcNow();
        var delays = new List<double>();
        for (var i = 0; i < count; i++)
            latency.Delay(() => delays.Add((_clock.GetUtcNow() - start).TotalMilliseconds));
        Assert.Empty(delays);
        _clock.Advance(TimeSpan.FromMinutes(10));
        return delays;
    }
}
