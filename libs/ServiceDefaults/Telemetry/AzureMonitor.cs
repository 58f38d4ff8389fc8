using System.Diagnostics;
using Azure.Monitor.OpenTelemetry.Exporter;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.Extensions.Logging.Console;
using Microsoft.Extensions.Options;
using OpenTelemetry;
using OpenTelemetry.Logs;
using OpenTelemetry.Trace;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Exports to Application Insights. <c>UseAzureMonitorExporter</c> would ignore <c>OTEL_BSP_*</c>, <c>OTEL_BLRP_*</c>, and
/// <c>OTEL_TRACES_SAMPLER</c>, and add metrics.
/// </summary>
internal static class AzureMonitor
{
    private const string EventCategory = "Microsoft.ApplicationInsights";

    public static void Add(OpenTelemetryBuilder telemetry, string connectionString)
    {
        telemetry.Services.Configure<AzureMonitorExporterOptions>(exporter =>
            exporter.ConnectionString = connectionString
        );
        telemetry
            .WithTracing(traces => traces.AddProcessor(new ErrorMessages()).AddProcessor(ExportSpans))
            .WithLogging(logs => logs.AddProcessor(ExportLogs));
        telemetry.Services.AddLogging(logging =>
            logging
                .AddFilter<OpenTelemetryLoggerProvider>(EventCategory, LogLevel.Information)
                .AddFilter<ConsoleLoggerProvider>(EventCategory, LogLevel.None)
        );
        telemetry.Services.AddSingleton(services => CreateConfiguration(services, connectionString));
        telemetry.Services.AddSingleton(services => new TelemetryClient(
            services.GetRequiredService<TelemetryConfiguration>()
        ));
        telemetry.Services.AddSingleton<TrackEvent>(services =>
            services.GetRequiredService<TelemetryClient>().TrackEvent
        );
    }

    private static BatchActivityExportProcessor ExportSpans(IServiceProvider services)
    {
        var batch = ValueOf<BatchExportActivityProcessorOptions>(services);
        return new(
            new AzureMonitorTraceExporter(ValueOf<AzureMonitorExporterOptions>(services)),
            batch.MaxQueueSize,
            batch.ScheduledDelayMilliseconds,
            batch.ExporterTimeoutMilliseconds,
            batch.MaxExportBatchSize
        );
    }

    private static BatchLogRecordExportProcessor ExportLogs(IServiceProvider services)
    {
        var batch = ValueOf<BatchExportLogRecordProcessorOptions>(services);
        return new(
            new AzureMonitorLogExporter(ValueOf<AzureMonitorExporterOptions>(services)),
            batch.MaxQueueSize,
            batch.ScheduledDelayMilliseconds,
            batch.ExporterTimeoutMilliseconds,
            batch.MaxExportBatchSize
        );
    }

    private static TOptions ValueOf<TOptions>(IServiceProvider services)
        where TOptions : class => services.GetRequiredService<IOptions<TOptions>>().Value;

    /// <summary>Routes events through the service's log, so that both exporters receive them.</summary>
    private static TelemetryConfiguration CreateConfiguration(IServiceProvider services, string connectionString)
    {
        var configuration = new TelemetryConfiguration
        {
            ConnectionString = connectionString,
            EnableLiveMetrics = false,
        };
        configuration.ConfigureOpenTelemetryBuilder(own =>
            own.Services.AddSingleton(services.GetRequiredService<ILoggerFactory>())
                .Configure<AzureMonitorExporterOptions>(exporter =>
                    exporter.EnableStandardMetrics = exporter.EnablePerformanceCounters = false
                )
        );
        return configuration;
    }

    /// <summary>Copies the status description, which the exporter omits, to a tag.</summary>
    private sealed class ErrorMessages : BaseProcessor<Activity>
    {
        public override void OnEnd(Activity data)
        {
            if (data.StatusDescription is { } message)
                data.SetTag("error.message", message);
        }
    }
}
