using System.Threading.RateLimiting;
using DroneDelivery.ServiceDefaults.Calls;
using Microsoft.Extensions.Logging;
using Polly;
using Polly.CircuitBreaker;
using Polly.Timeout;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>
/// Concurrency limit → circuit breaker → retry → time-out per attempt → the call. The breaker is outside the retry: it judges calls,
/// so that one call that fails four times cannot open it for all others. Every way to give up is an <see cref="HttpRequestException"/>,
/// so a caller has one thing to catch; a 5xx answer that outlives its retries is returned.
/// </summary>
internal sealed partial class ResilienceHandler : DelegatingHandler
{
    private readonly string _service;
    private readonly ResilienceOptions _options;
    private readonly ConcurrencyLimiter _limiter;
    private readonly ResiliencePipeline<HttpResponseMessage> _pipeline;

    public ResilienceHandler(string service, ResilienceOptions options, TimeProvider time, ILogger<ResilienceHandler> logger, HttpMessageHandler inner)
        : base(inner)
    {
        _service = service;
        _options = options;
        _limiter = new(new() { PermitLimit = options.ConcurrencyLimit, QueueLimit = options.ConcurrencyQueue });
        _pipeline = ResiliencePipelines.Create(service, options, time, logger);
    }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        using var place = await _limiter.AcquireAsync(1, cancellationToken);
        if (!place.IsAcquired)
            throw new HttpRequestException(
                $"{_service}: {_options.ConcurrencyLimit} calls are under way and {_options.ConcurrencyQueue} wait (Resilience:ConcurrencyLimit, ConcurrencyQueue).");
        try
        {
            return await _pipeline.ExecuteAsync(
                static async (call, token) => await call.Handler.AttemptAsync(call.Request, token), (Handler: this, Request: request), cancellationToken);
        }
        catch (BrokenCircuitException exception)
        {
            throw new HttpRequestException($"{_service}: the circuit is open after repeated failures (Resilience:Breaker*).", exception);
        }
        catch (TimeoutRejectedException exception)
        {
            throw new HttpRequestException($"{_service}: no answer within {_options.AttemptTimeout} (Resilience:AttemptTimeout).", exception);
        }
    }

    private async Task<HttpResponseMessage> AttemptAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        request.RemoveTraceHeaders();
        var response = await base.SendAsync(request, cancellationToken);
        // HttpClient would read the body after the pipeline, where no time-out watches.
        await response.Content.LoadIntoBufferAsync(cancellationToken);
        return response;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _limiter.Dispose();
        base.Dispose(disposing);
    }
}
