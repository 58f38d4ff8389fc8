using System.Net;
using Microsoft.Extensions.Http.Resilience;
using Microsoft.Extensions.Options;
using Polly;
using Polly.CircuitBreaker;
using Polly.RateLimiting;

namespace DroneDelivery.Calls;

/// <summary>Adds the resilience strategies, outermost first (docs/explanation/architecture.md, "Calls between services").</summary>
internal static class CallPipeline
{
    public static void AddCallStrategies(
        this ResiliencePipelineBuilder<HttpResponseMessage> pipeline,
        string service,
        IServiceProvider provider
    )
    {
        var options = provider.GetRequiredService<IOptions<ResilienceOptions>>().Value;
        pipeline.TimeProvider = provider.GetRequiredService<TimeProvider>();
        // The runtime measures attempts, and Circuits reports outages.
        pipeline.TelemetryListener = null;
        pipeline
            .AddTimeout(
                new HttpTimeoutStrategyOptions
                {
                    Name = "Resilience:TotalTimeout",
                    Timeout = options.EffectiveTotalTimeout,
                }
            )
            .AddRateLimiter(
                new RateLimiterStrategyOptions
                {
                    Name = "Resilience:ConcurrencyLimit",
                    DefaultRateLimiterOptions = new()
                    {
                        PermitLimit = options.ConcurrencyLimit,
                        QueueLimit = options.ConcurrencyQueue,
                    },
                }
            );
        if (options.EffectiveRetryDelays.Count > 0)
            pipeline.AddRetry(Retry(options, pipeline.TimeProvider));
        if (options.BreakerFailureRatio > 0)
            pipeline.AddCircuitBreaker(Breaker(service, options, provider.GetRequiredService<Circuits>()));
        pipeline.AddTimeout(
            new HttpTimeoutStrategyOptions { Name = "Resilience:AttemptTimeout", Timeout = options.AttemptTimeout }
        );
    }

    /// <summary>
    /// Retries also while the circuit is open, to ride out short outages. If Retry-After exceeds the total timeout, returns the response at
    /// once.
    /// </summary>
    private static HttpRetryStrategyOptions Retry(ResilienceOptions options, TimeProvider time)
    {
        var retry = new HttpRetryStrategyOptions
        {
            MaxRetryAttempts = options.EffectiveRetryDelays.Count,
            ShouldHandle = arguments =>
                ValueTask.FromResult(
                    arguments.Outcome.Exception is BrokenCircuitException
                        || (
                            HttpClientResiliencePredicates.IsTransient(arguments.Outcome)
                            && RequestedDelay(arguments.Outcome) < options.EffectiveTotalTimeout
                        )
                ),
        };
        retry.DelayGenerator = arguments =>
        {
            var jitter = options.RetryJitter * (2 * retry.Randomizer() - 1);
            var delay = options.EffectiveRetryDelays[arguments.AttemptNumber] * (1 + jitter);
            var requested = RequestedDelay(arguments.Outcome);
            return ValueTask.FromResult<TimeSpan?>(requested > delay ? requested : delay);
        };
        return retry;

        TimeSpan RequestedDelay(Outcome<HttpResponseMessage> outcome) =>
            options.RetryDelays is null && outcome.Result?.Headers.RetryAfter is { } header
                ? header.Delta ?? header.Date - time.GetUtcNow() ?? TimeSpan.Zero
                : TimeSpan.Zero;
    }

    private static HttpCircuitBreakerStrategyOptions Breaker(
        string service,
        ResilienceOptions options,
        Circuits circuits
    )
    {
        circuits.Add(service);
        return new HttpCircuitBreakerStrategyOptions
        {
            Name = "Resilience:BreakerFailureRatio",
            ShouldHandle = arguments => ValueTask.FromResult(IsFailure(arguments)),
            FailureRatio = options.BreakerFailureRatio,
            // The breaker counts attempts; the option counts calls.
            MinimumThroughput = options.BreakerMinimumThroughput * (1 + options.EffectiveRetryDelays.Count),
            SamplingDuration = options.BreakerSamplingDuration,
            BreakDuration = options.BreakerBreakDuration,
            OnOpened = arguments => circuits.OpenAsync(service, arguments.BreakDuration),
            OnClosed = _ => circuits.CloseAsync(service),
        };

        // Polly counts an attempt that isn't a failure as a success, so a cancelled attempt would close a half-open circuit.
        bool IsFailure(CircuitBreakerPredicateArguments<HttpResponseMessage> arguments) =>
            arguments.Outcome switch
            {
                { Exception: OperationCanceledException } => circuits.IsOpenOrHalfOpen(service)
                    || !CallFailures.IsCancelled(arguments.Context.GetRequestMessage()),
                { Result.StatusCode: HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden } => true,
                var outcome => HttpClientResiliencePredicates.IsTransient(outcome),
            };
    }
}
