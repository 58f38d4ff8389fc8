using System.Net;
using Microsoft.Extensions.Logging;
using Polly;
using Polly.CircuitBreaker;
using Polly.Retry;
using Polly.Timeout;

namespace DroneDelivery.ServiceDefaults.Resilience;

internal static partial class ResiliencePipelines
{
    public static ResiliencePipeline<HttpResponseMessage> Create(string service, ResilienceOptions options, TimeProvider time, ILogger logger)
    {
        var builder = new ResiliencePipelineBuilder<HttpResponseMessage> { Name = service, TimeProvider = time };
        if (options.BreakerFailureRatio > 0)
            builder.AddCircuitBreaker(Breaker(service, options, logger));
        if (options.EffectiveRetryDelays.Count > 0)
            builder.AddRetry(Retry(options));
        return builder.AddTimeout(options.AttemptTimeout).Build();
    }

    private static bool IsFailure(Outcome<HttpResponseMessage> outcome) =>
        outcome.Exception is HttpRequestException or TimeoutRejectedException
        || outcome.Result?.StatusCode is >= HttpStatusCode.InternalServerError or HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests;

    private static RetryStrategyOptions<HttpResponseMessage> Retry(ResilienceOptions options)
    {
        // The process id: replicas that fail together must not come back together.
        var random = new Random(Environment.ProcessId);
        return new()
        {
            ShouldHandle = arguments => ValueTask.FromResult(IsFailure(arguments.Outcome)),
            MaxRetryAttempts = options.EffectiveRetryDelays.Count,
            DelayGenerator = arguments => ValueTask.FromResult<TimeSpan?>(
                Jitter(options.EffectiveRetryDelays[arguments.AttemptNumber], options.RetryJitter, random)),
        };
    }

    private static TimeSpan Jitter(TimeSpan delay, double jitter, Random random)
    {
        lock (random)
            return delay * (1 + jitter * (2 * random.NextDouble() - 1));
    }

    private static CircuitBreakerStrategyOptions<HttpResponseMessage> Breaker(string service, ResilienceOptions options, ILogger logger) => new()
    {
        ShouldHandle = arguments => ValueTask.FromResult(IsFailure(arguments.Outcome)),
        FailureRatio = options.BreakerFailureRatio,
        MinimumThroughput = options.BreakerMinimumThroughput,
        SamplingDuration = options.BreakerSamplingDuration,
        BreakDuration = options.BreakerBreakDuration,
        OnOpened = arguments =>
        {
            Log.Opened(logger, service, arguments.BreakDuration);
            return default;
        },
        OnClosed = _ =>
        {
            Log.Closed(logger, service);
            return default;
        },
    };

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "Circuit to {Service} opened for {BreakDuration}: its calls fail")]
        public static partial void Opened(ILogger logger, string service, TimeSpan breakDuration);

        [LoggerMessage(Level = LogLevel.Information, Message = "Circuit to {Service} closed: its calls succeed again")]
        public static partial void Closed(ILogger logger, string service);
    }
}
