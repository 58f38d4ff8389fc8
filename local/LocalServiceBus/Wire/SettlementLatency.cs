using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Holds back answers to settlements for a sampled time, as the way to a distant service and back would. What was settled
/// is settled at once: only the client learns it later.</summary>
/// <param name="options">Mean and standard deviation of ln(milliseconds). Equal seeds draw equal delays.</param>
internal sealed class SettlementLatency((double Mu, double Sigma, int Seed) options, TimeProvider time, Defects defects)
{
    // Settings that are far off sample times that no TimeSpan and no timer can hold; a client gives up long before.
    private const double LongestMilliseconds = 60 * 60 * 1000;

    private readonly Lock _gate = new();
    private readonly Random _random = new(options.Seed);

    public void Answer(Action answer) =>
        _ = Task.Delay(Sample(), time)
            .ContinueWith(
                _ => defects.Guard("answering a settlement", answer),
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default
            );

    private TimeSpan Sample()
    {
        lock (_gate)
        {
            // Box and Muller's transform; the first uniform value must not be zero.
            var normal =
                Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
            // Timers drop what is less than a millisecond: rounded, the mean stays what it should be.
            return TimeSpan.FromMilliseconds(
                Math.Round(Math.Min(Math.Exp(options.Mu + options.Sigma * normal), LongestMilliseconds))
            );
        }
    }
}
