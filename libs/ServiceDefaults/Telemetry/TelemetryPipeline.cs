using System.Diagnostics;
using System.Reflection;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using OpenTelemetry;
using OpenTelemetry.Context.Propagation;
using OpenTelemetry.Instrumentation.AspNetCore;
using OpenTelemetry.Logs;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>Sets up traces and logs for both exporters, and metrics for OTLP. The <c>OTEL_*</c> settings apply.</summary>
internal static class TelemetryPipeline
{
    /// <summary>In milliseconds; a rate over one minute needs several points.</summary>
    private const int MetricExportInterval = 15_000;

    public static void Add(WebApplicationBuilder builder, string role, bool hasOtlp, string? connectionString)
    {
        // The Azure SDK creates spans only with this switch.
        AppContext.SetSwitch("Azure.Experimental.EnableActivitySource", true);
        // Without W3C baggage, through which clients could add attributes to spans.
        Sdk.SetDefaultTextMapPropagator(new TraceContextPropagator());
        builder.Services.AddValidatedOptions<TelemetryOptions>(TelemetryOptions.Section);
        // Read before the host validates the options.
        var settings = builder.Configuration.GetSection(TelemetryOptions.Section);
        var options = new TelemetryOptions
        {
            RoleInstance = settings[nameof(TelemetryOptions.RoleInstance)],
            TrackRedis = bool.TryParse(settings[nameof(TelemetryOptions.TrackRedis)], out var isTracked) && isTracked,
        };
        var telemetry = builder
            .Services.AddOpenTelemetry()
            .ConfigureResource(resource => Describe(resource, role, options))
            .WithTracing(traces =>
                traces
                    .AddAspNetCoreInstrumentation(ConfigureRequests)
                    .AddHttpClientInstrumentation()
                    .AddSource("Azure.Messaging.ServiceBus*", "Npgsql")
                    .AddSource(options.TrackRedis ? [TelemetryOptions.RedisSource] : [])
                    .AddProcessor(new DeliveryIds())
            )
            .WithLogging(null, logs => logs.IncludeFormattedMessage = logs.IncludeScopes = true);
        if (hasOtlp)
            AddOtlp(builder, telemetry);
        if (!string.IsNullOrEmpty(connectionString))
            AzureMonitor.Add(telemetry, connectionString);
    }

    private static void ConfigureRequests(AspNetCoreTraceInstrumentationOptions requests)
    {
        requests.Filter = context => !context.Request.Path.StartsWithSegments(HealthEndpoints.Prefix);
        requests.EnrichWithHttpResponse = (span, _) =>
        {
            // Otherwise, Application Insights names the operation after the path, and a scanner creates a name for each path.
            if (span.GetTagItem("http.route") is null)
                span.SetTag("microsoft.operation_name", span.DisplayName);
        };
    }

    private static void AddOtlp(WebApplicationBuilder builder, OpenTelemetryBuilder telemetry)
    {
        builder.Services.Configure<MetricReaderOptions>(metrics =>
            metrics.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds ??= MetricExportInterval
        );
        telemetry
            .WithMetrics(metrics =>
                metrics
                    .AddAspNetCoreInstrumentation()
                    .AddHttpClientInstrumentation()
                    .AddRuntimeInstrumentation()
                    .AddMeter("DroneDelivery.*")
            )
            .UseOtlpExporter();
    }

    /// <summary>OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the other attributes.</summary>
    private static void Describe(ResourceBuilder resource, string role, TelemetryOptions options)
    {
        var version = Assembly
            .GetEntryAssembly()
            ?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
            ?.InformationalVersion;
        resource
            .Clear()
            .AddTelemetrySdk()
            .AddService(role, serviceVersion: version, serviceInstanceId: options.EffectiveRoleInstance)
            .AddEnvironmentVariableDetector();
    }

    /// <summary>Copies the delivery id from the baggage to each span.</summary>
    private sealed class DeliveryIds : BaseProcessor<Activity>
    {
        public override void OnEnd(Activity data)
        {
            if (data.GetBaggageItem("deliveryId") is { } deliveryId)
                data.SetTag("drone_delivery.delivery.id", deliveryId);
        }
    }
}
