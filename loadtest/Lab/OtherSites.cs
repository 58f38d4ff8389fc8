using System.Net;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab;

/// <summary>
/// Rejects requests that another website makes the user's browser send, including DNS rebinding. The lab's own pages send requests to the
/// address at which they are shown.
/// </summary>
internal static class OtherSites
{
    public static ValueTask<object?> Reject(EndpointFilterInvocationContext context, EndpointFilterDelegate next) =>
        IsKnownHere(context.HttpContext) ? RejectPages(context, next) : Refusal();

    /// <summary>Rejects only pages of other websites, for endpoints that programs call by any host name.</summary>
    public static ValueTask<object?> RejectPages(
        EndpointFilterInvocationContext context,
        EndpointFilterDelegate next
    ) =>
        IsOwnOrigin(context.HttpContext.Request) && IsNotEmbedded(context.HttpContext.Request)
            ? next(context)
            : Refusal();

    /// <summary>Denies framing, to prevent clickjacking.</summary>
    public static ValueTask<object?> DenyFraming(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        var headers = context.HttpContext.Response.Headers;
        headers.ContentSecurityPolicy = "frame-ancestors 'none'";
        headers.XContentTypeOptions = "nosniff";
        headers.CacheControl = "no-store";
        return next(context);
    }

    private static ValueTask<object?> Refusal() =>
        ValueTask.FromResult<object?>(
            Results.Text(
                "Only the page itself can send requests. Open it as localhost, or by its IP address.",
                statusCode: StatusCodes.Status403Forbidden
            )
        );

    // From another machine, as in a cluster, the host name can be any.
    private static bool IsKnownHere(HttpContext context) =>
        context.Connection.LocalIpAddress is not { } address
        || !IPAddress.IsLoopback(address)
        || (Uri.TryCreate($"http://{context.Request.Host}", UriKind.Absolute, out var host) && host.IsLoopback);

    // Programs send no origin.
    private static bool IsOwnOrigin(HttpRequest request) =>
        request.Headers.Origin.ToString() is not { Length: > 0 } origin
        || (
            Uri.TryCreate(origin, UriKind.Absolute, out var site)
            && site.Authority.Equals(request.Host.Value, StringComparison.OrdinalIgnoreCase)
        );

    // Images and frames of another site send no origin. Links to a page are harmless.
    private static bool IsNotEmbedded(HttpRequest request) =>
        request.Headers["Sec-Fetch-Site"].ToString() is not ("cross-site" or "same-site")
        || (request.Headers["Sec-Fetch-Mode"] == "navigate" && request.Path.Value is "/" or "/flights");
}
