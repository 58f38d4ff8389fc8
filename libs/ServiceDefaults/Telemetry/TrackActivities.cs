using System.Diagnostics;
using System.Text.RegularExpressions;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.ApplicationInsights.Extensibility.Implementation;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http.Extensions;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Makes items of activities: a request of each HTTP request and of each message that is handled, a dependency of each call of HttpClient
/// and of the Service Bus client, and of <see cref="RedisCalls"/> if asked for.
/// </summary>
internal sealed partial class TrackActivities : IDisposable
{
    private const string Server = "Microsoft.AspNetCore";

    private readonly TelemetryClient _telemetry;
    private readonly ActivityListener _listener;

    public TrackActivities(TelemetryClient telemetry, IOptions<TelemetryOptions> options)
    {
        _telemetry = telemetry;
        _listener = new()
        {
            ShouldListenTo = source => TypeOf(source) is { } type && (type != "Redis" || options.Value.TrackRedis),
            // Of an HTTP request the ids are enough: the rest is in its context.
            Sample = (ref made) =>
                made.Source.Name == Server ? ActivitySamplingResult.PropagationData : ActivitySamplingResult.AllData,
            ActivityStopped = Track,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public void Dispose() => _listener.Dispose();

    /// <summary>Tracks an HTTP request but a probe, and the exception that a 503 does not tell its client.</summary>
    public async Task TrackAsync(HttpContext context, RequestDelegate next)
    {
        var (activity, request) = (Activity.Current, NewRequest(context));
        try
        {
            await next(context);
            request.Success = context.Response.StatusCode < StatusCodes.Status400BadRequest;
        }
        finally
        {
            if (activity is not null && !TelemetrySetup.IsProbe($"{context.Request.Path}"))
            {
                if (context.Features.Get<IExceptionHandlerFeature>()?.Error is DependencyUnavailableException cause)
                    _telemetry.TrackException(cause);
                request.ResponseCode = $"{context.Response.StatusCode}";
                _telemetry.TrackRequest(
                    Place(request, activity, TimeProvider.System.GetUtcNow() - activity.StartTimeUtc)
                );
            }
        }
    }

    /// <summary>Named <c>GET /api/packages/{id}</c>, before an exception takes the route away.</summary>
    private static RequestTelemetry NewRequest(HttpContext context)
    {
        var route = (context.GetEndpoint() as RouteEndpoint)?.RoutePattern.RawText ?? context.Request.Path;
        _ = Uri.TryCreate(context.Request.GetEncodedUrl(), UriKind.Absolute, out var url); // none without a Host, which HTTP/1.0 allows
        var request = new RequestTelemetry { Url = url, Success = false };
        request.Context.Operation.Name = request.Name = $"{context.Request.Method} {route}";
        return request;
    }

    private void Track(Activity activity)
    {
        if (activity.Kind == ActivityKind.Consumer)
            _telemetry.TrackRequest(Place(HandlingOf(activity), activity, activity.Duration));
        else if (activity.Source.Name != Server)
            _telemetry.TrackDependency(Place(CallOf(activity), activity, activity.Duration));
    }

    private static RequestTelemetry HandlingOf(Activity handling)
    {
        var request = new RequestTelemetry
        {
            Name = handling.OperationName,
            Source = TargetOf(handling),
            ResponseCode = ErrorOf(handling) ?? "200",
            Success = handling.Status != ActivityStatusCode.Error,
        };
        if (handling.GetTagItem(MessageAge.Name) is double age)
            request.Metrics[MessageAge.Name] = age;
        return request;
    }

    /// <summary>One over HTTP is named by its route: <c>/api/COLLECTION/ID</c> is the form of all APIs of the services.</summary>
    private static DependencyTelemetry CallOf(Activity call)
    {
        var url = call.GetTagItem("url.full") is string text ? new Uri(text) : null;
        return new()
        {
            Type = call.Kind == ActivityKind.Producer ? $"Queue Message | {TypeOf(call.Source)}" : TypeOf(call.Source),
            Target = url?.Authority ?? TargetOf(call),
            Name = url is null
                ? call.OperationName
                : IdInPath().Replace($"{call.GetTagItem("http.request.method")} {url.AbsolutePath}", "$1{id}"),
            Data = url?.OriginalString,
            ResultCode = call.GetTagItem("http.response.status_code")?.ToString() ?? ErrorOf(call),
            Success = call.Status != ActivityStatusCode.Error,
        };
    }

    /// <returns>As Azure names what is called; null: nothing that is tracked.</returns>
    private static string? TypeOf(ActivitySource source) =>
        source.Name switch
        {
            Server or "System.Net.Http" => "Http",
            RedisCalls.SourceName => "Redis",
            _ => source.Name.StartsWith("Azure.Messaging.ServiceBus", StringComparison.Ordinal)
                ? "Azure Service Bus"
                : null,
        };

    private static string TargetOf(Activity activity) =>
        activity.GetTagItem("messaging.destination.name") is { } queue
            ? $"{activity.GetTagItem("server.address")}/{queue}"
            : $"{activity.GetTagItem("server.address")}:{activity.GetTagItem("server.port")}";

    private static string? ErrorOf(Activity activity) => activity.GetTagItem("error.type") as string;

    /// <summary>The activity is still the current one: left to the library, it would become its own parent.</summary>
    private static T Place<T>(T item, Activity activity, TimeSpan duration)
        where T : OperationTelemetry
    {
        (item.Timestamp, item.Duration, item.Id) = (activity.StartTimeUtc, duration, activity.SpanId.ToHexString());
        item.Context.Operation.Id = activity.TraceId.ToHexString();
        if (activity.ParentSpanId != default)
            item.Context.Operation.ParentId = activity.ParentSpanId.ToHexString();
        foreach (var (name, value) in activity.Baggage)
            item.Properties.TryAdd(name, value);
        if (activity.StatusDescription is { } error)
            item.Properties["Error"] = error;
        return item;
    }

    [GeneratedRegex("^([A-Z]+ /api/[a-z]+/)[^/{]+")]
    private static partial Regex IdInPath();
}
