using Azure.Core;
using Azure.Monitor.OpenTelemetry.Exporter;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using OpenTelemetry.Instrumentation.AspNetCore;
using OpenTelemetry.Logs;
using OpenTelemetry.Trace;

namespace DroneDelivery.LabAgent.Telemetry;

internal static class ExactTelemetrySetup
{
    public const string ConnectionStringKey = "APPLICATIONINSIGHTS_CONNECTION_STRING";

    private const int QueueSize = 65_536,
        ExportInterval = 1_000; // milliseconds

    /// <summary>Makes telemetry complete: no sampling, large queues, an upload every second, and a count of every item.</summary>
    public static void AddExactTelemetry(this IServiceCollection services, IConfiguration configuration)
    {
        if (string.IsNullOrEmpty(configuration[ConnectionStringKey]))
            return;
        // Usage statistics and resource metrics; the exporter reads these switches only from the environment.
        Environment.SetEnvironmentVariable("APPLICATIONINSIGHTS_STATSBEAT_DISABLED", "true");
        Environment.SetEnvironmentVariable("OTEL_DOTNET_AZURE_MONITOR_ENABLE_RESOURCE_METRICS", "false");
        var account = new TelemetryAccount();
        services.AddSingleton(account);
        services.Configure<AzureMonitorExporterOptions>(exporter =>
        {
            exporter.DisableOfflineStorage = true;
            exporter.AddPolicy(new TelemetryAccount.Uploads(account), HttpPipelinePosition.PerCall);
        });
        services.Configure<BatchExportActivityProcessorOptions>(batch =>
            (batch.MaxQueueSize, batch.ScheduledDelayMilliseconds) = (QueueSize, ExportInterval)
        );
        services.Configure<BatchExportLogRecordProcessorOptions>(batch =>
            (batch.MaxQueueSize, batch.ScheduledDelayMilliseconds) = (QueueSize, ExportInterval)
        );
        services.PostConfigure<AspNetCoreTraceInstrumentationOptions>(ExcludeLabRequests);
        // The service already excludes the spans of probes.
        var sampler = new ParentBasedSampler(new AlwaysOnSampler(), remoteParentNotSampled: new AlwaysOnSampler());
        services.ConfigureOpenTelemetryTracerProvider(provider =>
            provider.SetSampler(sampler).AddProcessor(new TelemetryAccount.Spans(account))
        );
        services.ConfigureOpenTelemetryLoggerProvider(provider =>
            provider.AddProcessor(new TelemetryAccount.Logs(account))
        );
        services.AddHostedService<SendTotals>();
    }

    private static void ExcludeLabRequests(AspNetCoreTraceInstrumentationOptions requests)
    {
        var serviceFilter = requests.Filter;
        requests.Filter = context =>
            !context.Request.Path.Value!.StartsWith("/$", StringComparison.Ordinal)
            && serviceFilter?.Invoke(context) != false;
    }
}
