using System.Globalization;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Gateway.Admission;

/// <summary>429 for a subscriber that has used up its window. Requests without a key share one count.</summary>
internal static class RateLimits
{
    public static void AddRateLimits(this IServiceCollection services)
    {
        services.AddRateLimiter(limiter => limiter.OnRejected = (rejected, _) => new(RefuseAsync(rejected)));
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

    private static Task RefuseAsync(OnRejectedContext rejected)
    {
        var wait = rejected.Lease.TryGetMetadata(MetadataName.RetryAfter, out var left) ? left : TimeSpan.Zero;
        var seconds = Math.Max(1, Math.Ceiling(wait.TotalSeconds)).ToString(CultureInfo.InvariantCulture);
        rejected.HttpContext.Response.Headers.RetryAfter = seconds;
        return TypedResults
            .Problem($"This key has used up its requests. It has more in {seconds} s.", statusCode: 429)
            .ExecuteAsync(rejected.HttpContext);
    }
}
