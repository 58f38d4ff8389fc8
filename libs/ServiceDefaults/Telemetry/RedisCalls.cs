using System.Diagnostics;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Calls to Redis as activities, with the attributes of OpenTelemetry. Without a listener (<see cref="TelemetryOptions.TrackRedis"/>,
/// or OpenTelemetry) none is made, and a call costs one look.
/// </summary>
public static class RedisCalls
{
    internal const string SourceName = "DroneDelivery.Redis";

    private static readonly ActivitySource Source = new(SourceName);

    /// <param name="command">As Redis names it, with the name of the script if it is one: <c>GET</c>, <c>EVALSHA add</c>.</param>
    /// <param name="address">Host and port.</param>
    public static Activity? Start(string command, string address)
    {
        var port = address.LastIndexOf(':');
        return Source
            .StartActivity(command, ActivityKind.Client)
            ?.SetTag("db.system.name", "redis")
            .SetTag("db.operation.name", command)
            .SetTag("server.address", address[..port])
            .SetTag("server.port", address[(port + 1)..]);
    }

    /// <summary>Marks the call as failed.</summary>
    /// <param name="result">One word: <c>OOM</c>.</param>
    public static void Failed(this Activity call, string result) =>
        call.SetStatus(ActivityStatusCode.Error, result).SetTag("error.type", result);
}
