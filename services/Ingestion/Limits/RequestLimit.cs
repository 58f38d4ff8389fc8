using System.Threading.RateLimiting;
using DroneDelivery.Contracts;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>Limits concurrent API requests.</summary>
/// <remarks>ASP.NET Core's middleware returns 200 if a request times out while it waits.</remarks>
internal sealed class RequestLimit(RequestDelegate next, IOptions<IngestionOptions> options)
{
    private const string RetryAfterSeconds = "1";

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

    public async Task InvokeAsync(HttpContext context)
    {
        if (_limiter is null)
        {
            await next(context);
            return;
        }
        using var lease = await _limiter.AcquireAsync(permitCount: 1, context.RequestAborted);
        await (lease.IsAcquired ? next(context) : RejectAsync(context));
    }

    private static Task RejectAsync(HttpContext context)
    {
        context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults
            .Problem(
                "This replica has reached its limit of requests. This request was not processed; retry it later.",
                statusCode: StatusCodes.Status503ServiceUnavailable,
                title: "Too many concurrent requests",
                type: ProblemTypes.TooManyRequests
            )
            .ExecuteAsync(context);
    }
}
