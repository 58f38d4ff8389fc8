using System.Reflection;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Logs;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Traces, metrics and logs over OTLP. The framework and the services make activities and measurements by themselves; here is who listens
/// to which, and where they go. The standard settings <c>OTEL_*</c> say the rest, wherever configuration has them.
/// </summary>
internal static class OpenTelemetryExport
{
    /// <summary>Of those that the framework makes; without a listener it makes none.</summary>
    private static readonly string[] Sources = ["Microsoft.AspNetCore", "System.Net.Http", RedisCalls.SourceName, "Npgsql"];

    /// <summary>Activities without a source, by name: those of the Service Bus client.</summary>
    private static readonly string[] ServiceBusOperations = ["Message", "ServiceBus*"];

    private static readonly string[] Meters =
    [
        "DroneDelivery.*", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel", "System.Net.Http", "System.Runtime",
    ];

    public static void Add(WebApplicationBuilder builder, string role)
    {
        // The framework would leave the attributes of a request to an instrumentation library.
        AppContext.SetSwitch("Microsoft.AspNetCore.Hosting.SuppressActivityOpenTelemetryData", false);
        builder.Services.AddValidatedOptions<TelemetryOptions>(TelemetryOptions.Section);
        OtlpOptions.Add(builder.Services);
        var resource = Resource(builder.Configuration, role);
        builder.Logging.AddOpenTelemetry(logs =>
        {
            logs.IncludeFormattedMessage = true;
            logs.IncludeScopes = true;
            logs.SetResourceBuilder(resource).AddOtlpExporter(Upload);
        });
        builder.Services.AddSingleton(_ => Traces(builder.Configuration, resource));
        builder.Services.AddSingleton(_ => Metrics(builder.Configuration, resource));
        builder.Services.AddHostedService<OpenTelemetryRun>();
    }

    private static TracerProvider Traces(IConfiguration configuration, ResourceBuilder resource)
    {
        var traces = Sdk.CreateTracerProviderBuilder()
            .ConfigureServices(services => services.AddSingleton(configuration))
            .SetResourceBuilder(resource)
            .AddSource(Sources);
        foreach (var operation in ServiceBusOperations)
            traces.AddLegacySource(operation);
        return traces.AddProcessor(new SpanAttributes()).AddOtlpExporter(Upload).Build();
    }

    private static MeterProvider Metrics(IConfiguration configuration, ResourceBuilder resource) => Sdk.CreateMeterProviderBuilder()
        .ConfigureServices(services => services.AddSingleton(configuration))
        .SetResourceBuilder(resource)
        .AddMeter(Meters)
        .AddOtlpExporter(Upload)
        .Build();

    /// <summary>OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last, so they decide.</summary>
    private static ResourceBuilder Resource(ConfigurationManager configuration, string role)
    {
        var name = configuration[$"{TelemetryOptions.Section}:{nameof(TelemetryOptions.RoleInstance)}"];
        var instance = new TelemetryOptions { RoleInstance = name }.EffectiveRoleInstance;
        return ResourceBuilder.CreateEmpty()
            .AddTelemetrySdk()
            .AddService(role, serviceVersion: Version, serviceInstanceId: instance)
            .AddEnvironmentVariableDetector();
    }

    /// <summary>Uploads are no calls of the application: nobody is told of them, Application Insights neither.</summary>
    private static void Upload(OtlpExporterOptions options) => options.HttpClientFactory = () =>
        new HttpClient(new SocketsHttpHandler { ActivityHeadersPropagator = null })
        {
            Timeout = TimeSpan.FromMilliseconds(options.TimeoutMilliseconds),
        };

    private static string? Version =>
        Assembly.GetEntryAssembly()?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
}
