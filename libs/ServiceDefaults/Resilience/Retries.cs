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
    public static ResiliencePipeline<HttpResponseMessage> Create(ResilienceOptions options, TimeProvider time, RetryJitter jitter)
    {
        var builder = new ResiliencePipelineBuilder<HttpResponseMessage> { TimeProvider = time };
        if (options.EffectiveRetryDelays.Count > 0)
        {
            builder.AddRetry(new RetryStrategyOptions<HttpResponseMessage>
            {
                MaxRetryAttempts = options.EffectiveRetryDelays.Count,
                ShouldHandle = arguments => ValueTask.FromResult(IsWorthRepeating(arguments, options, time, jitter)),
                DelayGenerator = arguments => ValueTask.FromResult<TimeSpan?>(CallOf(arguments.Context).NextWait),
            });
        }
        return builder.Build();
    }

    /// <summary>
    /// A wait that does not fit into the rest of the total time-out is not begun: the answer that there is says more than a time-out.
    /// </summary>
    private static bool IsWorthRepeating(
        RetryPredicateArguments<HttpResponseMessage> arguments, ResilienceOptions options, TimeProvider time, RetryJitter jitter)
    {
        var isFailure = Failure.Is(arguments.Outcome) || arguments.Outcome.Exception is BrokenCircuitException;
        if (!isFailure || arguments.AttemptNumber >= options.EffectiveRetryDelays.Count)
            return false;
        var call = CallOf(arguments.Context);
        call.NextWait = jitter.Vary(options.EffectiveRetryDelays[arguments.AttemptNumber], options.RetryJitter);
        if (options.HonorsRetryAfter && RetryAfter(arguments.Outcome.Result, time) is { } asked && asked > call.NextWait)
            call.NextWait = asked;
        return time.GetElapsedTime(call.Began) + call.NextWait < options.EffectiveTotalTimeout;
    }

    private static TimeSpan? RetryAfter(HttpResponseMessage? response, TimeProvider time) =>
        response?.Headers.RetryAfter is not { } header ? null : header.Delta ?? header.Date - time.GetUtcNow();

    private static Call CallOf(ResilienceContext context) => context.Properties.GetValue(Call.Key, null!);
}
