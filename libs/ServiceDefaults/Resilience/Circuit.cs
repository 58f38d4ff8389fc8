using Microsoft.Extensions.Logging;
using Polly;
using Polly.CircuitBreaker;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>
/// The circuit breaker of one called service. A call counts once, when its first attempt ends. Counted when the call ends, it would
/// count some eight seconds late, and the window would have too few calls to open the circuit. So the repetitions of one call
/// cannot open the circuit for all others. While it is not closed every attempt meets it, repetitions included, so a service that
/// is away gets one probe for each <see cref="ResilienceOptions.BreakerBreakDuration"/>, however many callers wait.
/// </summary>
internal sealed class Circuit(ResiliencePipeline<HttpResponseMessage> breaker, CircuitBreakerStateProvider observed)
    : ResilienceStrategy<HttpResponseMessage>
{
    protected override ValueTask<Outcome<HttpResponseMessage>> ExecuteCore<TState>(
        Func<ResilienceContext, TState, ValueTask<Outcome<HttpResponseMessage>>> callback, ResilienceContext context, TState state)
    {
        var call = Call.Of(context);
        var isFirst = !call.WasAttempted;
        call.WasAttempted = true;
        return isFirst || observed.CircuitState != CircuitState.Closed
            ? breaker.ExecuteOutcomeAsync(callback, context, state)
            : callback(context, state);
    }
}

internal static partial class CircuitSetup
{
    public static ResiliencePipelineBuilder<HttpResponseMessage> AddCircuit(
        this ResiliencePipelineBuilder<HttpResponseMessage> builder,
        CalledService service,
        ResilienceOptions options,
        TimeProvider time,
        ILogger logger)
    {
        if (options.BreakerFailureRatio == 0)
            return builder;
        var state = service.Observed;
        var breaker = new ResiliencePipelineBuilder<HttpResponseMessage> { Name = service.Name, TimeProvider = time }
            .AddCircuitBreaker(Breaker(service, options, state, logger))
            .Build();
        return builder.AddStrategy(_ => new Circuit(breaker, state));
    }

    private static CircuitBreakerStrategyOptions<HttpResponseMessage> Breaker(
        CalledService service, ResilienceOptions options, CircuitBreakerStateProvider state, ILogger logger) => new()
        {
            StateProvider = state,
            ManualControl = service.Circuit,
            ShouldHandle = arguments => ValueTask.FromResult(Failure.Is(arguments.Outcome)),
            FailureRatio = options.BreakerFailureRatio,
            MinimumThroughput = options.BreakerMinimumThroughput,
            SamplingDuration = options.BreakerSamplingDuration,
            BreakDuration = options.BreakerBreakDuration,
            OnOpened = arguments =>
            {
                service.Opened(arguments.BreakDuration);
                Log.Opened(logger, service.Name, arguments.BreakDuration);
                return default;
            },
            OnClosed = _ =>
            {
                service.Closed();
                Log.Closed(logger, service.Name);
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
