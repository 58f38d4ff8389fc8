using System.Diagnostics.Tracing;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.Testing;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>An OpenTelemetry collector that is away for hours does not fill the log.</summary>
public sealed class ExportFailuresTests
{
    [Fact]
    public void Failures_of_the_exporter_are_logged_once_a_minute()
    {
        var time = new ManualTimeProvider();
        using var logs = new RecordedLogs();
        using var failures = new ExportFailures(new LoggerFactory([logs]).CreateLogger<ExportFailures>(), time);
        using var exporter = new Exporter();

        for (var second = 0; second < 90; second++)
        {
            exporter.Failed("no connection");
            time.Advance(TimeSpan.FromSeconds(1));
        }

        // Other tests of this process may export, too.
        Assert.Equal(2, logs.Lines.Count);
        Assert.All(logs.Lines, line => Assert.StartsWith($"Warning {typeof(ExportFailures)}: ", line, StringComparison.Ordinal));
    }

    [EventSource(Name = "OpenTelemetry-Exporter-Test")]
    private sealed class Exporter : EventSource
    {
        [Event(1, Level = EventLevel.Warning, Message = "It failed: {0}")]
        public void Failed(string why) => WriteEvent(1, why);
    }
}
