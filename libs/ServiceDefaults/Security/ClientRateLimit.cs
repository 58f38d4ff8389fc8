using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Threading.RateLimiting;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>
/// Limits the requests of each client, identified by the owner in its token or by its address. Unused windows are dropped.
/// </summary>
internal static class ClientRateLimit
{
    public const string Policy = "Client";

    private const int IPv6NetworkBytes = 8; // one customer has at least a /64

    private const string RateLimited = "urn:drone-delivery:rate-limited";

    public static void AddClientRateLimit(this IServiceCollection services)
    {
        services.AddValidatedOptions<RateLimitOptions>(RateLimitOptions.Section);
        services.AddRateLimiter(_ => { });
        services.AddOptions<RateLimiterOptions>().Configure<IOptions<RateLimitOptions>, Callers>(Configure);
        services.AddOptions<ForwardedHeadersOptions>().Configure<IOptions<RateLimitOptions>>(Configure);
    }

    public static void UseProxies(this WebApplication app) => app.UseForwardedHeaders().Use(AddPrefixToLocation);

    private static Task AddPrefixToLocation(HttpContext context, RequestDelegate next)
    {
        if (context.Request.PathBase.HasValue)
        {
            context.Response.OnStarting(() =>
            {
                if (context.Response.Headers.Location is [{ } location])
                    context.Response.Headers.Location = context.Request.PathBase + location;
                return Task.CompletedTask;
            });
        }
        return next(context);
    }

    private static void Configure(RateLimiterOptions limiter, IOptions<RateLimitOptions> options, Callers callers)
    {
        var limit = options.Value;
        limiter.AddPolicy(Policy, context =>
            RateLimitPartition.GetFixedWindowLimiter(ClientOf(context, callers), _ =>
                new() { PermitLimit = limit.Permits, Window = limit.Window }
            )
        );
        limiter.OnRejected = (rejected, _) => RejectAsync(rejected, limit);
    }

    private static void Configure(ForwardedHeadersOptions headers, IOptions<RateLimitOptions> options)
    {
        if (options.Value.Proxies == 0)
            return;
        headers.ForwardedHeaders = ForwardedHeaders.XForwardedFor | ForwardedHeaders.XForwardedPrefix;
        headers.ForwardLimit = options.Value.Proxies;
        // Proxies change their addresses; the network policy admits no other clients.
        headers.KnownIPNetworks.Clear();
        headers.KnownProxies.Clear();
    }

    private static string ClientOf(HttpContext context, Callers callers) =>
        callers.NameOf(context.User) is { } name
            ? $"owner {name}"
            : $"address {NetworkOf(context.Connection.RemoteIpAddress)}";

    private static IPAddress? NetworkOf(IPAddress? address)
    {
        if (address is not { AddressFamily: AddressFamily.InterNetworkV6, IsIPv4MappedToIPv6: false })
            return address?.MapToIPv4();
        var bytes = address.GetAddressBytes();
        Array.Clear(bytes, IPv6NetworkBytes, bytes.Length - IPv6NetworkBytes);
        return new(bytes);
    }

    private static ValueTask RejectAsync(OnRejectedContext rejected, RateLimitOptions limit)
    {
        var wait = rejected.Lease.TryGetMetadata(MetadataName.RetryAfter, out var left) ? left : limit.Window;
        var seconds = Math.Max(1, Math.Ceiling(wait.TotalSeconds)).ToString(CultureInfo.InvariantCulture);
        rejected.HttpContext.Response.Headers.RetryAfter = seconds;
        return new(
            TypedResults
                .Problem(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"A client may send {limit.Permits} requests in {limit.Window.TotalSeconds} s. "
                    ) + "This request was not processed; retry it later.",
                    statusCode: StatusCodes.Status429TooManyRequests,
                    title: "Too many requests from one client",
                    type: RateLimited
                )
                .ExecuteAsync(rejected.HttpContext)
        );
    }
}
