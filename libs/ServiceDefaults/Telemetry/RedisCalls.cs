using System.Diagnostics;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Calls to Redis as activities. Without a listener (<see cref="TelemetryOptions.TrackRedis"/>, or OpenTelemetry in another host) none is
/// made, and a call costs one look.
/// </summary>
public static class RedisCalls
{
    internal const string SourceName = "DroneDelivery.Redis", AddressTag = "server.address";

    private static readonly ActivitySource Source = new(SourceName);

    /// <param name="command">As Redis names it, with the name of the script if it is one: <c>GET</c>, <c>EVALSHA add</c>.</param>
    /// <param name="address">Host and port.</param>
    public static Activity? Start(string command, string address)
    {
        var call = Source.StartActivity(command, ActivityKind.Client);
        call?.SetTag(AddressTag, address);
        return call;
    }

    /// <summary>Marks the call as failed.</summary>
    /// <param name="result">One word: <c>OOM</c>.</param>
    public static void Failed(this Activity call, string result) => call.SetStatus(ActivityStatusCode.Error, result);
}
