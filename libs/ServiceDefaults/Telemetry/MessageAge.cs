using System.Diagnostics;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>How long a message had waited when its handling began, in milliseconds. The SDK's activity does not tell it, so the handler
/// does. Requests in Application Insights have it as a measurement.</summary>
public static class MessageAge
{
    internal const string Name = "timeSinceEnqueued";

    /// <summary>On the current activity, which is that of the handling.</summary>
    public static void Record(DateTimeOffset enqueuedTime, TimeProvider time) =>
        Activity.Current?.SetTag(Name, Math.Max(0, (time.GetUtcNow() - enqueuedTime).TotalMilliseconds));
}
