using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>
/// Limits the duration of API requests. A send to the queue isn't cancelled: it ends within <c>ServiceBus:SendTimeout</c>.
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
                        WriteTimeoutResponse = RespondAsync,
                    }
            );
    }

    private static Task RespondAsync(HttpContext context)
    {
        context.Response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults
            .Problem(
                "The request took too long and was not processed. Retry it later.",
                statusCode: StatusCodes.Status504GatewayTimeout,
                title: "The request took too long",
                type: ProblemTypes.RequestTimeout
            )
            .ExecuteAsync(context);
    }
}
