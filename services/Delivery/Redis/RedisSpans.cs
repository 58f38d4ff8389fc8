using System.Diagnostics;

namespace DroneDelivery.Delivery.Redis;

/// <summary>Creates spans of Redis commands if <c>Telemetry:TrackRedis</c> is set.</summary>
internal static class RedisSpans
{
    private static readonly ActivitySource Source = new("DroneDelivery.Redis");

    /// <param name="command">The command and, for a script, its name: <c>GET</c>, <c>EVALSHA add</c>.</param>
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

    public static void Failed(this Activity call, string result) =>
        call.SetStatus(ActivityStatusCode.Error, result).SetTag("error.type", result);
}
