using System.Diagnostics;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using OpenTelemetry.Logs;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>Listens from before the first request until after the last, and then sends what is left.</summary>
internal sealed class OpenTelemetryRun(
    TracerProvider traces, MeterProvider metrics, LoggerProvider logs, TimeProvider time, ILogger<OpenTelemetryRun> logger)
    : IHostedLifecycleService, IDisposable
{
    /// <summary>An endpoint that does not answer holds the end of the process up for this long, and no longer.</summary>
    private const int PatienceMilliseconds = 5_000;

    private readonly ExportFailures _failures = new(logger, time);
    private readonly IDisposable _serviceBus = DiagnosticListener.AllListeners.Subscribe(new ServiceBusListener());

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>All three at a time: each waits for its own uploads.</summary>
    public Task StoppedAsync(CancellationToken cancellationToken) => Task.WhenAll(
        Task.Run(() => traces.Shutdown(PatienceMilliseconds), CancellationToken.None),
        Task.Run(() => metrics.Shutdown(PatienceMilliseconds), CancellationToken.None),
        Task.Run(() => logs.Shutdown(PatienceMilliseconds), CancellationToken.None));

    public void Dispose()
    {
        _serviceBus.Dispose();
        _failures.Dispose();
    }
}
