using System.Diagnostics;

namespace DroneDelivery.Delivery.Redis;

/// <summary>Spans of commands to Redis. Without a listener (<c>Telemetry:TrackRedis</c>) none is created.</summary>
internal static class RedisSpans
{
    private static readonly ActivitySource Source = new("DroneDelivery.Redis");

    /// <param name="command">The command, with the script's name if it is one: <c>GET</c>, <c>EVALSHA add</c>.</param>
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

    /// <param name="result">One word: <c>OOM</c>.</param>
    public static void Failed(this Activity call, string result) =>
        call.SetStatus(ActivityStatusCode.Error, result).SetTag("error.type", result);
}
