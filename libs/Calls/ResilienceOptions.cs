using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Calls;

/// <summary>Section <c>Resilience</c>: timeouts, retries, and the circuit breaker of each called service.</summary>
public sealed class ResilienceOptions : IValidatableObject
{
    public const string Section = "Resilience";

    private static readonly TimeSpan[] DefaultRetryDelays =
    [
        TimeSpan.FromSeconds(0.2),
        TimeSpan.FromSeconds(2),
        TimeSpan.FromSeconds(6),
    ];

    /// <summary>
    /// The delay before each retry. <c>null</c> for 0.2, 2, and 6 s, or the response's Retry-After if longer; empty for no retries.
    /// </summary>
    /// <remarks><c>null</c> by default because the configuration binder appends to an existing array.</remarks>
    public TimeSpan[]? RetryDelays { get; set; }

    /// <summary>Each delay is multiplied by a random factor between 1 − jitter and 1 + jitter.</summary>
    [Range(0.0, 1.0)]
    public double RetryJitter { get; set; } = 0.5;

    /// <summary>Time limit of a call, including delays and retries. A value below <see cref="AttemptTimeout"/> has no effect.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan TotalTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Time limit of an attempt, including the response body.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan AttemptTimeout { get; set; } = TimeSpan.FromSeconds(10);

    [Range(1, 100_000)]
    public int ConcurrencyLimit { get; set; } = 100;

    /// <summary>Maximum number of calls that wait for a permit; further calls fail.</summary>
    [Range(0, 100_000)]
    public int ConcurrencyQueue { get; set; } = 25;

    /// <summary>Share of failed attempts that opens the circuit; 0 disables the circuit breaker.</summary>
    [Range(0.0, 1.0)]
    public double BreakerFailureRatio { get; set; } = 0.75;

    /// <summary>Minimum number of calls within the sampling duration that can open the circuit.</summary>
    [Range(2, 100_000)]
    public int BreakerMinimumThroughput { get; set; } = 4;

    [Range(typeof(TimeSpan), "00:00:00.500", "1.00:00:00")]
    public TimeSpan BreakerSamplingDuration { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Time for which an open circuit rejects attempts before it becomes half-open.</summary>
    [Range(typeof(TimeSpan), "00:00:00.500", "1.00:00:00")]
    public TimeSpan BreakerBreakDuration { get; set; } = TimeSpan.FromSeconds(5);

    internal IReadOnlyList<TimeSpan> EffectiveRetryDelays => RetryDelays ?? DefaultRetryDelays;

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (EffectiveRetryDelays.Any(delay => delay < TimeSpan.Zero || delay > TimeSpan.FromDays(1)))
            yield return new("Each delay must be between 00:00:00 and 1.00:00:00.", [nameof(RetryDelays)]);
    }

    internal TimeSpan EffectiveTotalTimeout => TotalTimeout > AttemptTimeout ? TotalTimeout : AttemptTimeout;
}
