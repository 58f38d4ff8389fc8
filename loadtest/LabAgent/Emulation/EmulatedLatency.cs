namespace DroneDelivery.LabAgent.Emulation;

/// <summary>Samples of a log-normal latency. Thread-safe.</summary>
internal sealed class EmulatedLatency(double mu, double sigma, int seed)
{
    private readonly Random _random = new(seed);
    private readonly Lock _lock = new();

    public TimeSpan Next() => TimeSpan.FromMilliseconds(Math.Exp(mu + sigma * NextNormal()));

    // Box–Muller: two uniform numbers give one standard normal number.
    private double NextNormal()
    {
        lock (_lock)
        {
            var radius = Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble()));
            return radius * Math.Cos(2 * Math.PI * _random.NextDouble());
        }
    }
}
