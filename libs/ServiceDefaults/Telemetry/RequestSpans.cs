using System.Diagnostics;
using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>What the framework does not say of a request's span: its route and its answer.</summary>
internal static class RequestSpans
{
    public static Task CompleteAsync(HttpContext context, RequestDelegate next) =>
        context.Features.Get<IHttpActivityFeature>()?.Activity is { IsAllDataRequested: true } span
            ? ObserveAsync(span, context, next)
            : next(context);

    private static async Task ObserveAsync(Activity span, HttpContext context, RequestDelegate next)
    {
        span.DisplayName = context.Request.Method;
        if (context.GetEndpoint() is RouteEndpoint { RoutePattern.RawText: { } route })
        {
            // A group of routes ends its own path with a slash.
            span.SetTag("http.route", route.TrimEnd('/'));
            span.DisplayName = $"{context.Request.Method} {route.TrimEnd('/')}";
        }

        await next(context);

        var status = context.Response.StatusCode;
        span.SetTag("http.response.status_code", status);
        if (status >= StatusCodes.Status500InternalServerError)
        {
            span.SetTag("error.type", status.ToString(CultureInfo.InvariantCulture));
            span.SetStatus(ActivityStatusCode.Error);
        }
    }
}
