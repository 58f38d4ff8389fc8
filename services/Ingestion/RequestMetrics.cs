using System.Diagnostics.Metrics;

namespace DroneDelivery.Ingestion;

/// <summary>
/// Meter <c>DroneDelivery.Ingestion</c>: what clients asked for and whether it is in the queue now. Reads count with
/// <c>http.server.request.duration</c> alone.
/// </summary>
internal sealed class RequestMetrics
{
    public const string MeterName = "DroneDelivery.Ingestion";

    /// <summary>Answered with 202. Tag <c>drone_delivery.operation</c>: schedule, reschedule, cancel.</summary>
    public const string AcceptedName = "drone_delivery.requests.accepted";

    /// <summary>Answered otherwise. Tags <c>drone_delivery.operation</c> and <c>http.response.status_code</c>.</summary>
    public const string RefusedName = "drone_delivery.requests.refused";

    private readonly Counter<long> _accepted, _refused;

    public RequestMetrics(IMeterFactory meters)
    {
        var meter = meters.Create(MeterName);
        _accepted = meter.CreateCounter<long>(AcceptedName, "{request}", "Requests that the broker has.");
        _refused = meter.CreateCounter<long>(RefusedName, "{request}", "Requests that were refused, or that the broker did not take.");
    }

    /// <summary>Counts when the answer is written: until then the exception handler may still turn it into another.</summary>
    public RequestDelegate Before(RequestDelegate next) => context =>
    {
        if (_accepted.Enabled && OperationOf(context.Request.Method) is { } operation)
            context.Response.OnCompleted(() => Count(operation, context.Response.StatusCode));
        return next(context);
    };

    private Task Count(string operation, int status)
    {
        if (status == StatusCodes.Status202Accepted)
            _accepted.Add(1, new KeyValuePair<string, object?>("drone_delivery.operation", operation));
        else
            _refused.Add(1, new("drone_delivery.operation", operation), new("http.response.status_code", status));
        return Task.CompletedTask;
    }

    private static string? OperationOf(string method) => method switch
    {
        "POST" => "schedule",
        "PATCH" => "reschedule",
        "DELETE" => "cancel",
        _ => null,
    };
}

internal static class RequestMetricsSetup
{
    /// <summary>Call it before anything that may refuse a request.</summary>
    public static void UseRequestMetrics(this WebApplication app) => app.UseWhen(
        context => context.Request.Path.StartsWithSegments("/api"),
        api => api.Use(next => app.Services.GetRequiredService<RequestMetrics>().Before(next)));
}
