using System.Diagnostics;
using Npgsql;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Logs;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>Traces, metrics and logs over OTLP. The standard settings <c>OTEL_*</c> decide the rest, wherever configuration has them.
/// </summary>
internal static class OpenTelemetryExport
{
    private const string ProtocolKey = "OTEL_EXPORTER_OTLP_PROTOCOL";

    /// <summary>Milliseconds, unless OTEL_METRIC_EXPORT_INTERVAL says otherwise: a rate over a minute needs some points in it.</summary>
    private const int ExportInterval = 15_000;

    public static void Add(WebApplicationBuilder builder, string role)
    {
        CheckSettings(builder);
        builder.Services.AddHostedService<ExportFailures>();
        builder.Services.Configure<MetricReaderOptions>(metrics =>
            metrics.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds ??= ExportInterval
        );
        builder
            .Services.AddOpenTelemetry()
            .ConfigureResource(resource =>
                Describe(resource, role, builder.Configuration.GetSection(TelemetryOptions.Section))
            )
            .WithTracing(traces =>
                traces
                    .AddAspNetCoreInstrumentation(requests =>
                        requests.Filter = context => !TelemetrySetup.IsProbe($"{context.Request.Path}")
                    )
                    .AddHttpClientInstrumentation()
                    .AddSource("Azure.Messaging.ServiceBus*", RedisCalls.SourceName)
                    .AddNpgsql()
                    .AddProcessor(new DeliveryOfSpan())
                    .AddOtlpExporter(Upload)
            )
            .WithMetrics(metrics =>
                metrics
                    .AddAspNetCoreInstrumentation()
                    .AddHttpClientInstrumentation()
                    .AddRuntimeInstrumentation()
                    .AddMeter("DroneDelivery.*")
                    .AddOtlpExporter(Upload)
            )
            .WithLogging(
                logs => logs.AddOtlpExporter(Upload),
                logs => logs.IncludeFormattedMessage = logs.IncludeScopes = true
            );
    }

    /// <summary>Instead of a value that it does not understand the exporter takes its default: telemetry would go nowhere without a word.
    /// </summary>
    private static void CheckSettings(WebApplicationBuilder builder)
    {
        var (endpoint, protocol) = (
            builder.Configuration[TelemetrySetup.OtlpEndpointKey],
            builder.Configuration[ProtocolKey]
        );
        // Under a name of its own: the log has an exporter before a mistake can be told.
        builder
            .Services.AddOptions<OtlpExporterOptions>("checked")
            .Validate(
                _ => Uri.TryCreate(endpoint, UriKind.Absolute, out var address) && address.Scheme is "http" or "https",
                $"{TelemetrySetup.OtlpEndpointKey}: '{endpoint}' is no address such as http://collector:4317."
            )
            .Validate(
                _ => protocol is null or "" or "grpc" or "http/protobuf",
                $"{ProtocolKey}: '{protocol}' is unknown. Expected grpc or http/protobuf."
            )
            .ValidateOnStart();
    }

    /// <summary>OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last, so they decide.</summary>
    private static void Describe(ResourceBuilder resource, string role, IConfiguration settings)
    {
        var options = new TelemetryOptions { RoleInstance = settings[nameof(TelemetryOptions.RoleInstance)] };
        resource
            .Clear()
            .AddTelemetrySdk()
            .AddService(role, serviceVersion: TelemetrySetup.Version, serviceInstanceId: options.EffectiveRoleInstance)
            .AddEnvironmentVariableDetector();
    }

    /// <summary>Uploads are no calls of the application: Application Insights is not told of them.</summary>
    private static void Upload(OtlpExporterOptions options) =>
        options.HttpClientFactory = () =>
            new HttpClient(new SocketsHttpHandler { ActivityHeadersPropagator = null })
            {
                Timeout = TimeSpan.FromMilliseconds(options.TimeoutMilliseconds),
            };

    private sealed class DeliveryOfSpan : BaseProcessor<Activity>
    {
        public override void OnEnd(Activity data)
        {
            if (data.GetBaggageItem("deliveryId") is { } deliveryId)
                data.SetTag("drone_delivery.delivery.id", deliveryId);
        }
    }
}
