using System.ComponentModel.DataAnnotations;
using Polly.Retry;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>Section <c>Resilience</c>: how calls to other services wait, repeat and give up. One pipeline per called service.</summary>
public sealed class ResilienceOptions : IValidatableObject
{
    public const string Section = "Resilience";

    private static readonly TimeSpan[] DefaultRetryDelays = [TimeSpan.FromSeconds(0.2), TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(6)];
    private static readonly TimeSpan DefaultTotalTimeout = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The wait before each repetition, so their number too. Null means the default: 0.2, 2 and 6 s. Set
    /// <c>Resilience:RetryDelays</c> to an empty text for no repetition.
    /// </summary>
    /// <remarks>Null rather than the default itself, because the configuration binder appends to an array that is already there.</remarks>
    public TimeSpan[]? RetryDelays { get; set; }

    /// <summary>Each wait is multiplied by a random factor between 1 − jitter and 1 + jitter.</summary>
    [Range(0.0, 1.0)]
    public double RetryJitter { get; set; } = 0.5;

    /// <summary>
    /// Whether an answer's Retry-After lengthens the wait. Null means: with the default delays only; delays that are set are what happens.
    /// </summary>
    public bool? HonorRetryAfter { get; set; }

    /// <summary>
    /// How long a call may take in all: its wait for a place, its attempts and the waits between them. Null means 30 s, or
    /// <see cref="AttemptTimeout"/> if that is longer.
    /// </summary>
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

    /// <summary>Share of failed calls that opens the circuit; 0: no circuit breaker. A call counts once, by its first attempt.</summary>
    [Range(0.0, 1.0)]
    public double BreakerFailureRatio { get; set; } = 0.75;

    /// <summary>
    /// Fewer calls than this within the sampling duration never open the circuit. If as many different requests fail and none succeeds
    /// meanwhile, however long that takes, the service counts as away, whatever its health says.
    /// </summary>
    [Range(2, 1_000_000)]
    public int BreakerMinimumThroughput { get; set; } = 4;

    [Range(typeof(TimeSpan), "00:00:00.500", "1.00:00:00")]
    public TimeSpan BreakerSamplingDuration { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long an open circuit refuses attempts before it lets one through.</summary>
    [Range(typeof(TimeSpan), "00:00:00.500", "1.00:00:00")]
    public TimeSpan BreakerBreakDuration { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>From 0 to 1, for the jitter of a wait. The default is Polly's: thread-safe, and seeded by each process.</summary>
    internal Func<double> Randomizer { get; set; } = new RetryStrategyOptions().Randomizer;

    internal IReadOnlyList<TimeSpan> EffectiveRetryDelays => RetryDelays ?? DefaultRetryDelays;

    internal bool HonorsRetryAfter => HonorRetryAfter ?? RetryDelays is null;

    /// <summary>From how many different requests that fail on, with none that succeeds, the service fails and not they.</summary>
    internal int ManyFailures => BreakerFailureRatio == 0 ? int.MaxValue : BreakerMinimumThroughput;

    internal TimeSpan EffectiveTotalTimeout =>
        TotalTimeout ?? (AttemptTimeout > DefaultTotalTimeout ? AttemptTimeout : DefaultTotalTimeout);

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (EffectiveRetryDelays.Any(delay => delay < TimeSpan.Zero || delay > TimeSpan.FromDays(1)))
            yield return new ValidationResult("Each delay must be between 00:00:00 and 1.00:00:00.", [nameof(RetryDelays)]);
        if (TotalTimeout < AttemptTimeout)
        {
            yield return new ValidationResult(
                $"{TotalTimeout} is below Resilience:AttemptTimeout = {AttemptTimeout}, which could never end. "
                    + "Raise it, or lower the other.",
                [nameof(TotalTimeout)]);
        }
    }
}
