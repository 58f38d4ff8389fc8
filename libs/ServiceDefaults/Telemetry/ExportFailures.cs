using System.Diagnostics.Tracing;
using System.Globalization;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Puts into the log what OpenTelemetry tells only its own event sources: that the endpoint is away, or that items were dropped. Once a
/// minute at most, for an endpoint that is away fails every upload.
/// </summary>
internal sealed partial class ExportFailures(ILogger<ExportFailures> logger, TimeProvider time)
    : EventListener,
        IHostedService
{
    private long _quietUntil;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name.StartsWith("OpenTelemetry-", StringComparison.Ordinal))
            EnableEvents(eventSource, EventLevel.Warning);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        var (now, quietUntil) = (time.GetUtcNow().Ticks, Interlocked.Read(ref _quietUntil));
        if (
            now >= quietUntil
            && Interlocked.CompareExchange(ref _quietUntil, now + TimeSpan.TicksPerMinute, quietUntil) == quietUntil
        )
        {
            Failed(
                string.Format(CultureInfo.InvariantCulture, eventData.Message ?? "{0}", [.. eventData.Payload ?? []])
            );
        }
    }

    [LoggerMessage(Level = LogLevel.Warning, Message = "OpenTelemetry: {Failure}")]
    private partial void Failed(string failure);
}
