using Microsoft.Extensions.Logging;
using Polly;
using Polly.CircuitBreaker;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>
/// The circuit breaker of one called service. A call counts once, by its first attempt, and at once: judged by its end it would count
/// after its last retry, eight seconds later, when few callers make too few calls for any window. Repetitions of a call that count
/// no more cannot open the circuit for all others. While it is not closed every attempt meets it, repetitions included, so a service that
/// is away gets one probe for each <see cref="ResilienceOptions.BreakerBreakDuration"/>, however many callers wait.
/// </summary>
internal sealed partial class Circuit
{
    private readonly CircuitBreakerStateProvider _state = new();
    private readonly ResiliencePipeline<HttpResponseMessage> _judged, _unjudged;

    public Circuit(string service, ResilienceOptions options, TimeProvider time, ILogger logger)
    {
        _unjudged = Builder(service, time).AddTimeout(options.AttemptTimeout).Build();
        _judged = options.BreakerFailureRatio > 0
            ? Builder(service, time).AddCircuitBreaker(Breaker(service, options, logger)).AddTimeout(options.AttemptTimeout).Build()
            : _unjudged;
    }

    /// <summary>What the next attempt of a call goes through.</summary>
    public ResiliencePipeline<HttpResponseMessage> For(Call call)
    {
        var isFirst = !call.WasAttempted;
        call.WasAttempted = true;
        return isFirst || _state.CircuitState != CircuitState.Closed ? _judged : _unjudged;
    }

    private static ResiliencePipelineBuilder<HttpResponseMessage> Builder(string service, TimeProvider time) =>
        new() { Name = service, TimeProvider = time };

    private CircuitBreakerStrategyOptions<HttpResponseMessage> Breaker(string service, ResilienceOptions options, ILogger logger) => new()
    {
        StateProvider = _state,
        ShouldHandle = arguments => ValueTask.FromResult(Failure.Is(arguments.Outcome)),
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
