using DroneDelivery.Gateway.Admission;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;
using Yarp.ReverseProxy.Transforms;
using Yarp.ReverseProxy.Transforms.Builder;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>
/// Drops headers that must not go on. A header that <c>Connection</c> names is for that connection alone (RFC 9110 §7.6.1); YARP drops only
/// the names that it knows.
/// </summary>
internal static class DropHeaders
{
    /// <summary>Anybody can write them, and no service behind the gateway must believe them. <c>Expect</c> is answered.</summary>
    private static readonly string[] OfClients =
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
        foreach (var name in OfClients)
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
