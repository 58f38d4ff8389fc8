using System.ComponentModel.DataAnnotations;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Threading.RateLimiting;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Security;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>Section <c>RateLimit</c>: how many API requests one client may send to one process. Off by default.</summary>
internal sealed class RateLimitOptions
{
    public const string Section = "RateLimit";

    public bool Enabled { get; set; }

    /// <summary>Requests of one client in each window; one more is answered with 429.</summary>
    [Range(1, 1_000_000)]
    public int Permits { get; set; } = 100;

    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan Window { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Proxies in front that each add the address of their caller to <c>X-Forwarded-For</c>. Clients without a token are told apart by the
    /// address that the first of them saw. 0: by the address of the connection, and the header, which anybody can write, is ignored.
    /// </summary>
    [Range(0, 10)]
    public int Proxies { get; set; }
}

/// <summary>
/// A window of requests for each client: the owner that its token names, otherwise its address. What nobody uses any more is
/// dropped, so the memory follows the clients of the moment.
/// </summary>
internal static class ClientRateLimit
{
    private const int BytesOfAnIPv6Network = 8; // one customer has at least a /64

    public static void AddClientRateLimit(this IServiceCollection services)
    {
        services.AddValidatedOptions<RateLimitOptions>(RateLimitOptions.Section);
        services.AddRateLimiter(_ => { });
        services.AddOptions<RateLimiterOptions>().Configure<IOptions<RateLimitOptions>, Callers>(Configure);
        services.AddOptions<ForwardedHeadersOptions>().Configure<IOptions<RateLimitOptions>>(Configure);
    }

    private static void Configure(RateLimiterOptions limiter, IOptions<RateLimitOptions> options, Callers callers)
    {
        var limit = options.Value;
        limiter.GlobalLimiter = PartitionedRateLimiter.Create<HttpContext, string>(context =>
            RateLimitPartition.GetFixedWindowLimiter(ClientOf(context, callers), _ =>
                new() { PermitLimit = limit.Permits, Window = limit.Window }
            )
        );
        limiter.OnRejected = (rejected, _) => RefuseAsync(rejected, limit);
    }

    private static void Configure(ForwardedHeadersOptions headers, IOptions<RateLimitOptions> options)
    {
        if (options.Value.Proxies == 0)
            return;
        headers.ForwardedHeaders = ForwardedHeaders.XForwardedFor | ForwardedHeaders.XForwardedPrefix;
        headers.ForwardLimit = options.Value.Proxies;
        // Their addresses change; the network policy lets nobody else in.
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
        Array.Clear(bytes, BytesOfAnIPv6Network, bytes.Length - BytesOfAnIPv6Network);
        return new(bytes);
    }

    private static ValueTask RefuseAsync(OnRejectedContext rejected, RateLimitOptions limit)
    {
        var wait = rejected.Lease.TryGetMetadata(MetadataName.RetryAfter, out var left) ? left : limit.Window;
        var seconds = Math.Max(1, Math.Ceiling(wait.TotalSeconds)).ToString(CultureInfo.InvariantCulture);
        rejected.HttpContext.Response.Headers.RetryAfter = seconds;
        return new(
            TypedResults
                .Problem(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"One client may send {limit.Permits} requests in {limit.Window.TotalSeconds} s. "
                    ) + "Nothing of this one was done; send it again later.",
                    statusCode: StatusCodes.Status429TooManyRequests,
                    title: "Too many requests of one client",
                    type: ProblemTypes.RateLimited
                )
                .ExecuteAsync(rejected.HttpContext)
        );
    }
}
