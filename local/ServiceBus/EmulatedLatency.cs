using System.Globalization;
using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.ServiceBus;

/// <summary>Emulates the round trip to a remote service for the lab: delays responses to settlements by a log-normal
/// time. Settlements take effect immediately.</summary>
/// <param name="mu">The mean of ln(milliseconds).</param>
/// <param name="sigma">The standard deviation of ln(milliseconds).</param>
internal sealed class EmulatedLatency(double mu, double sigma, int seed, TimeProvider time)
{
    // The names that the services use. They aren't settings of the broker.
    private const string Section = "Emulation",
        Latency = $"{Section}:Latency";

    // Extreme settings produce times beyond the range of timers. Clients time out long before.
    private const double MaxMilliseconds = 60 * 60 * 1000;

    private readonly Lock _lock = new();
    private readonly Random _random = new(seed);

    public static EmulatedLatency? From(IConfiguration configuration, TimeProvider time) =>
        configuration.GetSection(Latency).Exists()
            ? new(
                Number(configuration, $"{Latency}:Mu", double.MinValue),
                Number(configuration, $"{Latency}:Sigma", 0),
                (int)Number(configuration, $"{Section}:Seed", 0),
                time
            )
            : null;

    public void Delay(Action response) =>
        _ = Task.Delay(Sample(), time)
            .ContinueWith(
                _ => response(),
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default
            );

    private static double Number(IConfiguration configuration, string setting, double min) =>
        double.TryParse(configuration[setting], NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
        && double.IsFinite(number)
        && number >= min
            ? number
            : throw new BrokerStartException($"{setting} must be a number{(min < 0 ? "" : $", at least {min}")}.");

    private TimeSpan Sample()
    {
        lock (_lock)
        {
            // Box-Muller transform. The first uniform value must not be 0.
            var normal =
                Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
            // Timers truncate to whole milliseconds; rounding preserves the mean.
            return TimeSpan.FromMilliseconds(Math.Round(Math.Min(Math.Exp(mu + sigma * normal), MaxMilliseconds)));
        }
    }
}
