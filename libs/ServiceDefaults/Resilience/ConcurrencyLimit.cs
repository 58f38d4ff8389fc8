using System.Threading.RateLimiting;
using Polly;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>A call waits for a place, and keeps it until its last attempt has ended.</summary>
internal sealed class ConcurrencyLimit(RateLimiter limiter) : ResilienceStrategy<HttpResponseMessage>
{
    protected override async ValueTask<Outcome<HttpResponseMessage>> ExecuteCore<TState>(
        Func<ResilienceContext, TState, ValueTask<Outcome<HttpResponseMessage>>> callback, ResilienceContext context, TState state)
    {
        using var place = await limiter.AcquireAsync(1, context.CancellationToken);
        return place.IsAcquired ? await callback(context, state) : Outcome.FromException<HttpResponseMessage>(new NoPlaceException());
    }
}

/// <summary>All places are taken, and so are those where a call may wait for one.</summary>
internal sealed class NoPlaceException() : ExecutionRejectedException("No place is free.");

internal static class ConcurrencyLimitSetup
{
    public static ResiliencePipelineBuilder<HttpResponseMessage> AddConcurrencyLimit(
        this ResiliencePipelineBuilder<HttpResponseMessage> builder, RateLimiter limiter) =>
        builder.AddStrategy(_ => new ConcurrencyLimit(limiter));
}
