using System.Threading.RateLimiting;
using DroneDelivery.Contracts;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>
/// At most so many API requests at a time. More of them would not be answered sooner: they would share the same CPU, and each would take
/// longer. Probes are never held up.
/// </summary>
/// <remarks>Not ASP.NET Core's middleware: it answers 200 when the time of a request ends while it waits.</remarks>
internal sealed class RequestLimit(RequestDelegate next, IOptions<IngestionOptions> options) : IDisposable
{
    private const string RetryAfterSeconds = "1";

    // null if there is no limit.
    private readonly ConcurrencyLimiter? _limiter =
        options.Value.MaxConcurrentRequests == 0
            ? null
            : new(
                new()
                {
                    PermitLimit = options.Value.MaxConcurrentRequests,
                    QueueLimit = options.Value.MaxWaitingRequests,
                }
            );

    public void Dispose() => _limiter?.Dispose();

    public async Task InvokeAsync(HttpContext context)
    {
        if (_limiter is null)
        {
            await next(context);
            return;
        }
        using var place = await _limiter.AcquireAsync(permitCount: 1, context.RequestAborted);
        await (place.IsAcquired ? next(context) : RefuseAsync(context));
    }

    private static Task RefuseAsync(HttpContext context)
    {
        context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults
            .Problem(
                "This replica has as many requests as it may hold. Nothing of this one was done; send it again later.",
                statusCode: StatusCodes.Status503ServiceUnavailable,
                title: "Too many requests at a time",
                type: ProblemTypes.TooManyRequests
            )
            .ExecuteAsync(context);
    }
}
