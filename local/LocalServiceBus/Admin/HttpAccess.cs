using System.Net;
using System.Net.Http.Headers;
using System.Text;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>Authorizes HTTP requests. Liveness is public, and counts are available on this machine without a token.
/// Everything else requires a token or key, except that counts, the page, and its requests need none if the well-known
/// key grants the claim.</summary>
internal sealed class HttpAccess(AccessRules rules)
{
    private static readonly string[] Open = ["/health/live", "/health/ready"],
        Counts = ["/health", "/metrics", "/$counters"];

    // Available on this machine only.
    private const string DropPath = "/$connections/drop";

    public async Task InvokeAsync(HttpContext context, RequestDelegate next)
    {
        if (Check(context) is not var (status, why))
        {
            await next(context);
            return;
        }
        if (status == HttpStatusCode.Unauthorized)
            context.Response.Headers.WWWAuthenticate = "Basic realm=\"Local Service Bus: name and key of a rule\"";
        await Atom.Error(status, why).ExecuteAsync(context);
    }

    private (HttpStatusCode Status, string Why)? Check(HttpContext context)
    {
        var request = context.Request;
        var isRead = HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method);
        if (isRead && IsOneOf(Open, request))
            return null;
        if (
            isRead
            && IsOneOf(Counts, request)
            && (rules.WellKnownKeyGrants(AccessRights.Listen) || IsLocalRequest(context))
        )
        {
            return null;
        }
        var isWebSocket = context.WebSockets.IsWebSocketRequest;
        if ((!isRead || isWebSocket) && IsCrossSite(request))
            return (HttpStatusCode.Forbidden, "Cross-site requests are not allowed.");
        var isLocal = IsLocal(request.Host.Host);
        if (
            isLocal
            && (
                isRead
                    ? IsOneOf(PageApi.Reads, request) && rules.WellKnownKeyGrants(AccessRights.Listen)
                    : IsPageRequest(request)
            )
        )
        {
            return null;
        }
        // Clients authenticate inside the WebSocket, as over TCP.
        if (rules.AreRequired && isWebSocket)
            return null;
        if (rules.AreRequired && request.Path != DropPath)
            return CheckAuthorization(request, isRead) is { } why ? (HttpStatusCode.Unauthorized, why) : null;
        return isLocal
            ? null
            : (
                HttpStatusCode.Forbidden,
                $"Requests without a token must use the host name localhost, not '{Excerpt.Of(request.Host.Host)}'."
            );
    }

    // Never 403, which SDKs report as an exceeded quota.
    private string? CheckAuthorization(HttpRequest request, bool isRead)
    {
        var (path, right) =
            isRead && IsOneOf([.. PageApi.Reads, .. Counts], request)
                ? ("", AccessRights.Listen)
                : (EntityAddress.Parse(request.Path.Value ?? "").AccessPath, AccessRights.Manage);
        var why = $"Unauthorized access. The claim {right} is required for '{Excerpt.Of(request.Path.Value ?? "")}'.";
        var grant = GrantOf(rules, request.Headers.Authorization.ToString(), ref why);
        return grant?.Covers(path, right) == true ? null : why;
    }

    /// <param name="authorization">The Authorization header: a token, or the name and key of a rule.</param>
    /// <param name="why">The reason if a token is invalid; otherwise, unchanged.</param>
    internal static Grant? GrantOf(AccessRules rules, string authorization, ref string why)
    {
        if (SasToken.IsOne(authorization))
        {
            var grant = rules.Check(authorization, out var fault);
            why = fault ?? why;
            return grant;
        }
        return TryBasic(authorization) is [var name, var key] ? rules.Check(name, key) : null;
    }

    private static string[]? TryBasic(string authorization)
    {
        if (
            !AuthenticationHeaderValue.TryParse(authorization, out var header)
            || !"Basic".Equals(header.Scheme, StringComparison.OrdinalIgnoreCase)
        )
        {
            return null;
        }
        var bytes = new byte[header.Parameter?.Length ?? 0];
        return Convert.TryFromBase64String(header.Parameter ?? "", bytes, out var length)
            ? Encoding.UTF8.GetString(bytes, 0, length).Split(':', 2)
            : null;
    }

    private static bool IsOneOf(string[] paths, HttpRequest request) =>
        paths.Contains(request.Path.Value, StringComparer.OrdinalIgnoreCase);

    /// <summary><c>true</c> if the request comes from this machine. If the broker listens on one address, local
    /// requests also come from that address.</summary>
    internal static bool IsLocalRequest(HttpContext context) =>
        context.Connection.RemoteIpAddress is { } client
        && (IPAddress.IsLoopback(client) || client.Equals(context.Connection.LocalIpAddress));

    // Prevents DNS rebinding: another site can resolve its own name to this machine and read the responses.
    private static bool IsLocal(string host) =>
        host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host.Trim('[', ']'), out var address) && IPAddress.IsLoopback(address));

    // Only browsers send this header; scripts need a token.
    private bool IsPageRequest(HttpRequest request) =>
        HttpMethods.IsPost(request.Method)
        && request.Headers["Sec-Fetch-Site"] == "same-origin"
        && PageApi.ActionOf(request.Path.Value ?? "") is not null
        && rules.WellKnownKeyGrants(AccessRights.Manage);

    private static bool IsCrossSite(HttpRequest request) =>
        request.Headers.Origin.ToString() is { Length: > 0 } origin
        && (
            !Uri.TryCreate(origin, UriKind.Absolute, out var site)
            || !site.Authority.Equals(request.Host.Value, StringComparison.OrdinalIgnoreCase)
        );
}
