using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Puts into the log what OpenTelemetry tells only its own event sources: that the endpoint is away, or that items were dropped. Once a
/// minute at most, for an endpoint that is away fails every upload.
/// </summary>
internal sealed partial class ExportFailures(ILogger logger, TimeProvider time) : EventListener
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private DateTimeOffset _quietUntil;

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name.StartsWith("OpenTelemetry-", StringComparison.Ordinal))
            EnableEvents(eventSource, EventLevel.Warning);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        lock (_lock)
        {
            var now = time.GetUtcNow();
            if (now < _quietUntil)
                return;
            _quietUntil = now + Pause;
        }
        Log.Failed(logger, Describe(eventData));
    }

    private static string Describe(EventWrittenEventArgs happened) =>
        string.Format(CultureInfo.InvariantCulture, happened.Message ?? happened.EventName ?? "", [.. happened.Payload ?? []]);

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "OpenTelemetry: {Failure}")]
        public static partial void Failed(ILogger logger, string failure);
    }
}
