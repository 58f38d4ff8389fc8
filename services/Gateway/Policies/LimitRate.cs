using System.Globalization;
using System.Threading.RateLimiting;
using DroneDelivery.Gateway.Routes;

namespace DroneDelivery.Gateway.Policies;

/// <summary>429 for a key that has used up its window on this route.</summary>
internal static class LimitRate
{
    public static Step Before(Step next, RateLimitOptions options)
    {
        var limiter = PartitionedRateLimiter.Create<string, string>(subscriber =>
            RateLimitPartition.GetFixedWindowLimiter(subscriber, _ => new() { PermitLimit = options.Permits, Window = options.Window }));
        return (context, subscriber) =>
        {
            using var lease = limiter.AttemptAcquire(subscriber!);
            return lease.IsAcquired ? next(context, subscriber) : RefuseAsync(context, lease, options);
        };
    }

    private static Task RefuseAsync(HttpContext context, RateLimitLease lease, RateLimitOptions options)
    {
        var wait = lease.TryGetMetadata(MetadataName.RetryAfter, out var left) ? left : options.Window;
        context.Response.Headers.RetryAfter = Math.Max(1, Math.Ceiling(wait.TotalSeconds)).ToString(CultureInfo.InvariantCulture);
        return Refusal.AnswerAsync(
            context,
            StatusCodes.Status429TooManyRequests,
            FormattableString.Invariant($"This key may make {options.Permits} requests in {options.Window.TotalSeconds} s here."));
    }
}
