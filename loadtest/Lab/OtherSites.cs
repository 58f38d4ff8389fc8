using System.Net;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab;

/// <summary>
/// Refuses what another web site makes the viewer's browser ask: a request that it sends to this machine, or a name of its own that it lets
/// point here. The page itself asks from the address at which it is shown; over the loopback that is one of its names.
/// </summary>
internal static class OtherSites
{
    public static ValueTask<object?> Refuse(EndpointFilterInvocationContext context, EndpointFilterDelegate next) =>
        IsKnownHere(context.HttpContext) ? RefusePages(context, next) : Refusal();

    /// <summary>For what programs reach by whatever name: only pages of others are refused.</summary>
    public static ValueTask<object?> RefusePages(
        EndpointFilterInvocationContext context,
        EndpointFilterDelegate next
    ) =>
        IsOwnOrigin(context.HttpContext.Request) && IsNotEmbedded(context.HttpContext.Request)
            ? next(context)
            : Refusal();

    /// <summary>Inside a page of somebody else, a click on it could be stolen.</summary>
    public static ValueTask<object?> NobodysFrame(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
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
                "Only the page itself may ask. Open it as localhost, or by its address.",
                statusCode: StatusCodes.Status403Forbidden
            )
        );

    // From elsewhere, as in a cluster, it is reached by names that the lab does not know.
    private static bool IsKnownHere(HttpContext context) =>
        context.Connection.LocalIpAddress is not { } address
        || !IPAddress.IsLoopback(address)
        || (Uri.TryCreate($"http://{context.Request.Host}", UriKind.Absolute, out var host) && host.IsLoopback);

    // Programs send none.
    private static bool IsOwnOrigin(HttpRequest request) =>
        request.Headers.Origin.ToString() is not { Length: > 0 } origin
        || (
            Uri.TryCreate(origin, UriKind.Absolute, out var site)
            && site.Authority.Equals(request.Host.Value, StringComparison.OrdinalIgnoreCase)
        );

    // An image or a frame of another site sends no origin. A link to a page is no harm.
    private static bool IsNotEmbedded(HttpRequest request) =>
        request.Headers["Sec-Fetch-Site"].ToString() is not ("cross-site" or "same-site")
        || (request.Headers["Sec-Fetch-Mode"] == "navigate" && request.Path.Value is "/" or "/flights");
}
