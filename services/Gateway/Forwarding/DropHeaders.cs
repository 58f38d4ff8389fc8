using DroneDelivery.Gateway.Admission;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;
using Yarp.ReverseProxy.Transforms;
using Yarp.ReverseProxy.Transforms.Builder;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>
/// Removes headers that must not be forwarded, including all that <c>Connection</c> lists (RFC 9110 §7.6.1); YARP removes only well-known
/// ones.
/// </summary>
internal static class DropHeaders
{
    /// <summary>
    /// Headers that any client can send, so that services must not trust them, and <c>Expect</c>, which the gateway handles.
    /// </summary>
    private static readonly string[] UntrustedHeaders =
    [
        SubscriptionKeys.Header,
        HeaderNames.Baggage,
        "Forwarded",
        HeaderNames.Expect,
    ];

    public static void Add(TransformBuilderContext route)
    {
        route.AddRequestTransform(FromRequest);
        route.AddResponseTransform(FromResponse);
    }

    private static ValueTask FromRequest(RequestTransformContext context)
    {
        var headers = context.HttpContext.Request.Headers;
        foreach (var name in UntrustedHeaders)
        {
            if (headers.ContainsKey(name))
                RequestTransform.RemoveHeader(context, name);
        }
        foreach (var name in NamesIn(headers.Connection))
            RequestTransform.RemoveHeader(context, name);
        return default;
    }

    private static ValueTask FromResponse(ResponseTransformContext context)
    {
        if (
            context.ProxyResponse is { } response
            && response.Headers.NonValidated.TryGetValues(HeaderNames.Connection, out var connection)
        )
        {
            foreach (var name in NamesIn(connection.ToArray()))
                context.HttpContext.Response.Headers.Remove(name);
        }
        return default;
    }

    private static string[] NamesIn(StringValues connection) =>
        connection.ToString().Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
}
