using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>
/// How long an API request may take before it is answered with 504: reading its body, its wait for its turn, and its question to
/// Delivery. A send to the queue is never cut off: it ends by itself, within <c>ServiceBus:SendTimeout</c>, and then its own answer counts.
/// </summary>
internal static class RequestTimeLimit
{
    private const string RetryAfterSeconds = "2";

    public static void AddRequestTimeLimit(this IServiceCollection services)
    {
        services.AddRequestTimeouts();
        services
            .AddOptions<RequestTimeoutOptions>()
            .Configure<IOptions<IngestionOptions>>(
                (timeouts, options) =>
                    timeouts.DefaultPolicy = new()
                    {
                        Timeout = options.Value.RequestTimeout is var limit && limit > TimeSpan.Zero ? limit : null,
                        WriteTimeoutResponse = AnswerAsync,
                    }
            );
    }

    private static Task AnswerAsync(HttpContext context)
    {
        context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults
            .Problem(
                "The request took too long. Nothing of it was done; send it again later.",
                statusCode: StatusCodes.Status504GatewayTimeout,
                title: "The request took too long",
                type: ProblemTypes.RequestTimeout
            )
            .ExecuteAsync(context);
    }
}
