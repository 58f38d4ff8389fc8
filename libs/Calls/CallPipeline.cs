using System.Net;
using Microsoft.Extensions.Http.Resilience;
using Microsoft.Extensions.Options;
using Polly;
using Polly.CircuitBreaker;
using Polly.Fallback;
using Polly.RateLimiting;
using Polly.Retry;
using Polly.Timeout;

namespace DroneDelivery.Calls;

/// <summary>What a call to a service goes through, outermost first: docs/explanation/architecture.md, "Calls between services".</summary>
internal static class CallPipeline
{
    public static void AddCallStrategies(
        this ResiliencePipelineBuilder<HttpResponseMessage> pipeline,
        string service,
        IServiceProvider provider
    )
    {
        var options = provider.GetRequiredService<IOptions<ResilienceOptions>>().Value;
        // The runtime measures each attempt, and Circuits tells of outages. Polly's own events would only cost CPU.
        pipeline.TelemetryListener = null;
        pipeline.TimeProvider = provider.GetRequiredService<TimeProvider>();
        pipeline
            .AddFallback(ExplainedFailure(service, options))
            .AddTimeout(options.EffectiveTotalTimeout)
            .AddConcurrencyLimiter(options.ConcurrencyLimit, options.ConcurrencyQueue);
        if (options.EffectiveRetryDelays.Count > 0)
            pipeline.AddRetry(Retry(options, pipeline.TimeProvider, provider.GetService<Random>()));
        if (options.BreakerFailureRatio > 0)
            pipeline.AddCircuitBreaker(Breaker(service, options, provider.GetRequiredService<Circuits>()));
        pipeline.AddTimeout(options.AttemptTimeout);
    }

    /// <summary>A call that is given up fails with an exception of one type, which names the option.</summary>
    private static FallbackStrategyOptions<HttpResponseMessage> ExplainedFailure(
        string service,
        ResilienceOptions options
    ) =>
        new()
        {
            ShouldHandle = arguments => ValueTask.FromResult(arguments.Outcome.Exception is ExecutionRejectedException),
            FallbackAction = arguments =>
                Outcome.FromExceptionAsValueTask<HttpResponseMessage>(
                    new HttpRequestException(
                        $"{service}: {Explain(arguments.Outcome.Exception!, options)}",
                        arguments.Outcome.Exception
                    )
                ),
        };

    private static string Explain(Exception rejection, ResilienceOptions options) =>
        rejection switch
        {
            TimeoutRejectedException timeout when timeout.Timeout == options.EffectiveTotalTimeout =>
                $"no success within {options.EffectiveTotalTimeout}, repetitions included (Resilience:TotalTimeout).",
            TimeoutRejectedException => $"no answer within {options.AttemptTimeout} (Resilience:AttemptTimeout).",
            BrokenCircuitException => "the circuit is open after repeated failures (Resilience:Breaker*).",
            RateLimiterRejectedException =>
                $"{options.ConcurrencyLimit} calls are under way and {options.ConcurrencyQueue} wait "
                    + "(Resilience:ConcurrencyLimit, ConcurrencyQueue).",
            _ => rejection.Message,
        };

    /// <summary>
    /// An attempt that the open circuit refused is repeated like one that failed, so no call fails in a short outage. A call that was told
    /// to come again after its total timeout ends at once, with the answer that it has.
    /// </summary>
    private static RetryStrategyOptions<HttpResponseMessage> Retry(
        ResilienceOptions options,
        TimeProvider time,
        Random? random
    )
    {
        var retry = new RetryStrategyOptions<HttpResponseMessage>
        {
            MaxRetryAttempts = options.EffectiveRetryDelays.Count,
            ShouldHandle = arguments =>
                ValueTask.FromResult(
                    arguments.Outcome.Exception is BrokenCircuitException
                        || (
                            HttpClientResiliencePredicates.IsTransient(arguments.Outcome)
                            && AskedWait(arguments.Outcome) < options.EffectiveTotalTimeout
                        )
                ),
        };
        if (random is not null)
            retry.Randomizer = random.NextDouble;
        retry.DelayGenerator = arguments =>
        {
            var wait =
                options.EffectiveRetryDelays[arguments.AttemptNumber]
                * (1 + options.RetryJitter * (2 * retry.Randomizer() - 1));
            var asked = AskedWait(arguments.Outcome);
            return ValueTask.FromResult<TimeSpan?>(asked > wait ? asked : wait);
        };
        return retry;

        TimeSpan AskedWait(Outcome<HttpResponseMessage> outcome) =>
            options.HonorsRetryAfter && outcome.Result?.Headers.RetryAfter is { } header
                ? header.Delta ?? header.Date - time.GetUtcNow() ?? TimeSpan.Zero
                : TimeSpan.Zero;
    }

    private static CircuitBreakerStrategyOptions<HttpResponseMessage> Breaker(
        string service,
        ResilienceOptions options,
        Circuits circuits
    )
    {
        circuits.Set(service, CircuitState.Closed);
        return new()
        {
            // 401 and 403 fail every call, like an outage, but a retry does not mend them. An attempt that its caller gave up says nothing
            // of the service: Polly would take it for a success, which closes a half-open circuit.
            ShouldHandle = arguments =>
                ValueTask.FromResult(
                    HttpClientResiliencePredicates.IsTransient(arguments.Outcome)
                        || arguments.Outcome.Result?.StatusCode
                            is HttpStatusCode.Unauthorized
                                or HttpStatusCode.Forbidden
                        || (arguments.Outcome.Exception is OperationCanceledException && circuits.IsHalfOpen(service))
                ),
            FailureRatio = options.BreakerFailureRatio,
            // The breaker counts attempts, the option calls.
            MinimumThroughput = options.BreakerMinimumThroughput * (1 + options.EffectiveRetryDelays.Count),
            SamplingDuration = options.BreakerSamplingDuration,
            BreakDuration = options.BreakerBreakDuration,
            OnOpened = arguments => Set(CircuitState.Open, arguments.BreakDuration),
            OnHalfOpened = _ => Set(CircuitState.HalfOpen),
            OnClosed = _ => Set(CircuitState.Closed),
        };

        ValueTask Set(CircuitState state, TimeSpan duration = default)
        {
            circuits.Set(service, state, duration);
            return default;
        }
    }
}
