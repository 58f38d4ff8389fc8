using Polly;
using Polly.CircuitBreaker;
using Polly.Retry;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>
/// When a failed call is sent again. An attempt that the open circuit refused counts like one that failed: the call waits for its next
/// turn, and outlives a short outage without troubling the service.
/// </summary>
internal static class Retries
{
    public static ResiliencePipelineBuilder<HttpResponseMessage> AddRetries(
        this ResiliencePipelineBuilder<HttpResponseMessage> builder, ResilienceOptions options, TimeProvider time) =>
        options.EffectiveRetryDelays.Count == 0 ? builder : builder.AddRetry(new RetryStrategyOptions<HttpResponseMessage>
        {
            MaxRetryAttempts = options.EffectiveRetryDelays.Count,
            ShouldHandle = arguments => ValueTask.FromResult(IsWorthRepeating(arguments, options, time)),
            DelayGenerator = arguments => ValueTask.FromResult<TimeSpan?>(Call.Of(arguments.Context).NextWait),
        });

    /// <summary>
    /// A wait that does not fit into the rest of the total time-out is not begun: the answer that there is says more than a time-out.
    /// </summary>
    private static bool IsWorthRepeating(
        RetryPredicateArguments<HttpResponseMessage> arguments, ResilienceOptions options, TimeProvider time)
    {
        var isFailure = Failure.Is(arguments.Outcome) || arguments.Outcome.Exception is BrokenCircuitException;
        if (!isFailure || arguments.AttemptNumber >= options.EffectiveRetryDelays.Count)
            return false;
        var call = Call.Of(arguments.Context);
        call.NextWait = Vary(options.EffectiveRetryDelays[arguments.AttemptNumber], options);
        if (options.HonorsRetryAfter && RetryAfter(arguments.Outcome.Result, time) is { } asked && asked > call.NextWait)
            call.NextWait = asked;
        return time.GetElapsedTime(call.Began) + call.NextWait < options.EffectiveTotalTimeout;
    }

    /// <summary>Callers that failed together do not come back together. Polly varies only the waits that it calculates itself.</summary>
    private static TimeSpan Vary(TimeSpan wait, ResilienceOptions options) =>
        wait * (1 + options.RetryJitter * (2 * options.Randomizer() - 1));

    private static TimeSpan? RetryAfter(HttpResponseMessage? response, TimeProvider time) =>
        response?.Headers.RetryAfter is not { } header ? null : header.Delta ?? header.Date - time.GetUtcNow();
}
