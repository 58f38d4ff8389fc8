using System.Globalization;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Gateway.Admission;

/// <summary>Rejects requests with 429 beyond a subscriber's limit. Requests without a key share one limit.</summary>
internal static class RateLimits
{
    public static void AddRateLimits(this IServiceCollection services)
    {
        services.AddRateLimiter(limiter => limiter.OnRejected = (rejected, _) => new(RejectAsync(rejected)));
        services
            .AddOptions<RateLimiterOptions>()
            .Configure<IOptions<GatewayOptions>>(
                (limiter, options) =>
                {
                    foreach (var (name, limit) in options.Value.RateLimits)
                        limiter.AddPolicy(name, context => PartitionOf(context, limit));
                }
            );
    }

    private static RateLimitPartition<string> PartitionOf(HttpContext context, RateLimitOptions limit) =>
        RateLimitPartition.GetFixedWindowLimiter(context.User.Identity?.Name ?? "", _ =>
            new() { PermitLimit = limit.Permits, Window = limit.Window }
        );

    private static Task RejectAsync(OnRejectedContext rejected)
    {
        var wait = rejected.Lease.TryGetMetadata(MetadataName.RetryAfter, out var left) ? left : TimeSpan.Zero;
        var seconds = Math.Max(1, Math.Ceiling(wait.TotalSeconds)).ToString(CultureInfo.InvariantCulture);
        rejected.HttpContext.Response.Headers.RetryAfter = seconds;
        return TypedResults
            .Problem($"The rate limit of this key is exceeded. Retry in {seconds} s.", statusCode: 429)
            .ExecuteAsync(rejected.HttpContext);
    }
}
