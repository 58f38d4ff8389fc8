using System.Threading.RateLimiting;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>
/// At most so many API requests at a time. More of them would not be answered sooner: they would share the same CPU, and each would take
/// longer. Probes are never held up.
/// </summary>
internal sealed class RequestLimit(IOptions<IngestionOptions> options) : IDisposable
{
    private const string RetryAfterSeconds = "1";

    private readonly ConcurrencyLimiter? _limiter =
        options.Value is { MaxConcurrentRequests: > 0 and var most, MaxWaitingRequests: var waiting }
            ? new(new() { PermitLimit = most, QueueLimit = waiting, QueueProcessingOrder = QueueProcessingOrder.OldestFirst })
            : null;

    /// <summary>Without a limit, requests pay nothing.</summary>
    public RequestDelegate Before(RequestDelegate next) =>
        _limiter is { } limiter ? context => RunAsync(context, next, limiter) : next;

    public void Dispose() => _limiter?.Dispose();

    private static async Task RunAsync(HttpContext context, RequestDelegate next, ConcurrencyLimiter limiter)
    {
        using var place = await limiter.AcquireAsync(permitCount: 1, context.RequestAborted);
        await (place.IsAcquired ? next(context) : RefuseAsync(context));
    }

    private static Task RefuseAsync(HttpContext context)
    {
        context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults.Problem(
            "This replica has as many requests as it may hold. Nothing of this one was done; send it again later.",
            statusCode: StatusCodes.Status503ServiceUnavailable,
            title: "Too many requests at a time",
            type: "urn:drone-delivery:too-many-requests").ExecuteAsync(context);
    }
}
