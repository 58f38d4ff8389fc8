using System.Security.Cryptography;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>Spreads waits, so that callers that failed together do not come back together. Thread-safe.</summary>
/// <param name="random">
/// Of the process, and of no other: a seed that replicas share, such as the process id in containers, would spread nothing.
/// </param>
internal sealed class RetryJitter(Random random)
{
    private readonly Lock _lock = new();

    /// <summary>From a seed of its own.</summary>
    public static RetryJitter Create() => new(new Random(RandomNumberGenerator.GetInt32(int.MaxValue)));

    /// <returns>The wait times a factor between 1 − share and 1 + share.</returns>
    public TimeSpan Vary(TimeSpan wait, double share)
    {
        lock (_lock)
            return wait * (1 + share * (2 * random.NextDouble() - 1));
    }
}
