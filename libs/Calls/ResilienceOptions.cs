using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Calls;

/// <summary>Section <c>Resilience</c>: how calls to other services wait, repeat and give up. One pipeline per called service.</summary>
public sealed class ResilienceOptions : IValidatableObject
{
    public const string Section = "Resilience";

    private static readonly TimeSpan[] DefaultRetryDelays =
    [
        TimeSpan.FromSeconds(0.2),
        TimeSpan.FromSeconds(2),
        TimeSpan.FromSeconds(6),
    ];
    private static readonly TimeSpan DefaultTotalTimeout = TimeSpan.FromSeconds(30);

    /// <summary>The wait before each repetition, so their number too. Null: 0.2, 2 and 6 s. An empty text: no repetition.</summary>
    /// <remarks>Not the default itself, because the configuration binder appends to an array that is already there.</remarks>
    public TimeSpan[]? RetryDelays { get; set; }

    /// <summary>Each wait is multiplied by a random factor between 1 − jitter and 1 + jitter.</summary>
    [Range(0.0, 1.0)]
    public double RetryJitter { get; set; } = 0.5;

    /// <summary>Whether an answer's Retry-After lengthens the wait. Null: with the default delays only.</summary>
    public bool? HonorRetryAfter { get; set; }

    /// <summary>How long a call may take, waits and repetitions included. Null: 30 s, or <see cref="AttemptTimeout"/> if longer.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan? TotalTimeout { get; set; }

    /// <summary>How long one attempt may take, answer included.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan AttemptTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Calls under way at a time. A caller that runs N handlers at a time needs at least N.</summary>
    [Range(1, 100_000)]
    public int ConcurrencyLimit { get; set; } = 100;

    /// <summary>Calls that wait for a place; one more is refused.</summary>
    [Range(0, 100_000)]
    public int ConcurrencyQueue { get; set; } = 25;

    /// <summary>Share of failed attempts that opens the circuit; 0: no circuit breaker.</summary>
    [Range(0.0, 1.0)]
    public double BreakerFailureRatio { get; set; } = 0.75;

    /// <summary>Fewer calls than this within the sampling duration never open the circuit. Each counts as all of its attempts.</summary>
    [Range(2, 100_000)]
    public int BreakerMinimumThroughput { get; set; } = 4;

    [Range(typeof(TimeSpan), "00:00:00.500", "1.00:00:00")]
    public TimeSpan BreakerSamplingDuration { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long an open circuit refuses attempts before it lets one through.</summary>
    [Range(typeof(TimeSpan), "00:00:00.500", "1.00:00:00")]
    public TimeSpan BreakerBreakDuration { get; set; } = TimeSpan.FromSeconds(5);

    internal IReadOnlyList<TimeSpan> EffectiveRetryDelays => RetryDelays ?? DefaultRetryDelays;

    internal bool HonorsRetryAfter => HonorRetryAfter ?? RetryDelays is null;

    internal TimeSpan EffectiveTotalTimeout =>
        TotalTimeout ?? (AttemptTimeout > DefaultTotalTimeout ? AttemptTimeout : DefaultTotalTimeout);

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (EffectiveRetryDelays.Any(delay => delay < TimeSpan.Zero || delay > TimeSpan.FromDays(1)))
        {
            yield return new ValidationResult(
                "Each delay must be between 00:00:00 and 1.00:00:00.",
                [nameof(RetryDelays)]
            );
        }

        if (TotalTimeout < AttemptTimeout)
        {
            yield return new ValidationResult(
                $"{TotalTimeout} is below Resilience:AttemptTimeout = {AttemptTimeout}, which could never end. "
                    + "Raise it, or lower the other.",
                [nameof(TotalTimeout)]
            );
        }
    }
}
