using System.Threading.RateLimiting;
using DroneDelivery.ServiceDefaults.Calls;
using Microsoft.Extensions.Logging;
using Polly;
using Polly.CircuitBreaker;
using Polly.Timeout;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>
/// Sends each call through the <see cref="CallPipeline"/>. Every way to give up is an <see cref="HttpRequestException"/>, so a caller has
/// one thing to catch; a 5xx answer that outlives its retries is returned.
/// </summary>
internal sealed class ResilienceHandler : DelegatingHandler
{
    private readonly CalledService _service;
    private readonly ResilienceOptions _options;
    private readonly TimeProvider _time;
    private readonly ConcurrencyLimiter _limiter;
    private readonly ResiliencePipeline<HttpResponseMessage> _pipeline;

    public ResilienceHandler(
        CalledService service, ResilienceOptions options, TimeProvider time, ILogger<ResilienceHandler> logger, HttpMessageHandler inner)
        : base(inner)
    {
        (_service, _options, _time) = (service, options, time);
        _limiter = new(new() { PermitLimit = options.ConcurrencyLimit, QueueLimit = options.ConcurrencyQueue });
        _pipeline = CallPipeline.Build(service, options, _limiter, time, logger);
    }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var context = new Call(_time.GetTimestamp(), request.RequestUri).Begin(cancellationToken);
        try
        {
            return await _pipeline.ExecuteAsync(
                static (context, attempt) => attempt.Handler.SendOnceAsync(attempt.Request, context.CancellationToken),
                context,
                (Handler: this, Request: request));
        }
        catch (ExecutionRejectedException rejection)
        {
            throw new HttpRequestException($"{_service.Name}: {Describe(rejection)}", rejection);
        }
        finally
        {
            ResilienceContextPool.Shared.Return(context);
        }
    }

    private async ValueTask<HttpResponseMessage> SendOnceAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        request.RemoveTraceHeaders();
        var response = await base.SendAsync(request, cancellationToken);
        // HttpClient would read the body after the pipeline, where no time-out watches.
        await response.Content.LoadIntoBufferAsync(cancellationToken);
        return response;
    }

    private string Describe(ExecutionRejectedException rejection) => rejection switch
    {
        TimeoutRejectedException { TelemetrySource.StrategyName: CallPipeline.TotalTimeout } =>
            $"no success within {_options.EffectiveTotalTimeout}, repetitions included (Resilience:TotalTimeout).",
        TimeoutRejectedException => $"no answer within {_options.AttemptTimeout} (Resilience:AttemptTimeout).",
        BrokenCircuitException => "the circuit is open after repeated failures (Resilience:Breaker*).",
        NoPlaceException => $"{_options.ConcurrencyLimit} calls are under way and {_options.ConcurrencyQueue} wait "
            + "(Resilience:ConcurrencyLimit, ConcurrencyQueue).",
        _ => rejection.Message,
    };

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _limiter.Dispose();
        base.Dispose(disposing);
    }
}
