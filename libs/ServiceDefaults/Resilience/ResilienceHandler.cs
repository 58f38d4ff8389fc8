using System.Threading.RateLimiting;
using DroneDelivery.ServiceDefaults.Calls;
using Microsoft.Extensions.Logging;
using Polly;
using Polly.CircuitBreaker;
using Polly.Timeout;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>
/// Total time-out → concurrency limit → retry → circuit breaker → time-out per attempt → the call. Every way to give up is an
/// <see cref="HttpRequestException"/>, so a caller has one thing to catch; a 5xx answer that outlives its retries is returned.
/// </summary>
internal sealed class ResilienceHandler : DelegatingHandler
{
    private readonly string _service;
    private readonly ResilienceOptions _options;
    private readonly TimeProvider _time;
    private readonly ConcurrencyLimiter _limiter;
    private readonly ResiliencePipeline<HttpResponseMessage> _total, _retries;
    private readonly Circuit _circuit;

    public ResilienceHandler(
        string service,
        ResilienceOptions options,
        TimeProvider time,
        RetryJitter jitter,
        ILogger<ResilienceHandler> logger,
        HttpMessageHandler inner)
        : base(inner)
    {
        (_service, _options, _time) = (service, options, time);
        _limiter = new(new() { PermitLimit = options.ConcurrencyLimit, QueueLimit = options.ConcurrencyQueue });
        _total = new ResiliencePipelineBuilder<HttpResponseMessage> { TimeProvider = time }
            .AddTimeout(options.EffectiveTotalTimeout)
            .Build();
        _retries = Retries.Create(options, time, jitter);
        _circuit = new Circuit(service, options, time, logger);
    }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        try
        {
            return await _total.ExecuteAsync(
                static async (call, token) => await call.Handler.SendInTurnAsync(call.Request, token),
                (Handler: this, Request: request),
                cancellationToken);
        }
        catch (TimeoutRejectedException exception)
        {
            throw new HttpRequestException(
                $"{_service}: no success within {_options.EffectiveTotalTimeout}, repetitions included (Resilience:TotalTimeout).",
                exception);
        }
    }

    private async Task<HttpResponseMessage> SendInTurnAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var call = new Call(request, _time.GetTimestamp());
        using var place = await _limiter.AcquireAsync(1, cancellationToken);
        if (!place.IsAcquired)
            throw new HttpRequestException(
                $"{_service}: {_options.ConcurrencyLimit} calls are under way and {_options.ConcurrencyQueue} wait "
                    + "(Resilience:ConcurrencyLimit, ConcurrencyQueue).");
        try
        {
            return await RepeatAsync(call, cancellationToken);
        }
        catch (BrokenCircuitException exception)
        {
            throw new HttpRequestException($"{_service}: the circuit is open after repeated failures (Resilience:Breaker*).", exception);
        }
        catch (TimeoutRejectedException exception)
        {
            throw new HttpRequestException(
                $"{_service}: no answer within {_options.AttemptTimeout} (Resilience:AttemptTimeout).", exception);
        }
    }

    private async Task<HttpResponseMessage> RepeatAsync(Call call, CancellationToken cancellationToken)
    {
        var context = ResilienceContextPool.Shared.Get(cancellationToken);
        context.Properties.Set(Call.Key, call);
        try
        {
            return await _retries.ExecuteAsync(
                static async (context, state) => await state.Handler.AttemptAsync(state.Call, context.CancellationToken),
                context,
                (Handler: this, Call: call));
        }
        finally
        {
            ResilienceContextPool.Shared.Return(context);
        }
    }

    private async Task<HttpResponseMessage> AttemptAsync(Call call, CancellationToken cancellationToken) =>
        await _circuit.For(call).ExecuteAsync(
            static async (state, token) => await state.Handler.SendOnceAsync(state.Request, token),
            (Handler: this, call.Request),
            cancellationToken);

    private async Task<HttpResponseMessage> SendOnceAsync(HttpRequestMessage request, CancellationToken cancellationToken)
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
