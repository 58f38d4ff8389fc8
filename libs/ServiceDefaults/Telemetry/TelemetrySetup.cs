using System.Reflection;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Application Insights is on when <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c> is set, OpenTelemetry when
/// <c>OTEL_EXPORTER_OTLP_ENDPOINT</c> is; either, both or none. What is off is not loaded: this class does not mention the types of the
/// libraries, so the runtime never looks for their assemblies.
/// </summary>
internal static class TelemetrySetup
{
    public const string OtlpEndpointKey = "OTEL_EXPORTER_OTLP_ENDPOINT";

    private const string ConnectionStringKey = "APPLICATIONINSIGHTS_CONNECTION_STRING";

    public static string? Version { get; } =
        Assembly.GetEntryAssembly()?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;

    public static void AddTelemetry(this WebApplicationBuilder builder, string role)
    {
        var (otlp, insights) = (builder.Configuration[OtlpEndpointKey], builder.Configuration[ConnectionStringKey]);
        if (string.IsNullOrEmpty(otlp) && string.IsNullOrEmpty(insights))
            return;
        // Azure's clients make activities with the names of OpenTelemetry only with this switch.
        AppContext.SetSwitch("Azure.Experimental.EnableActivitySource", true);
        builder.Services.AddValidatedOptions<TelemetryOptions>(TelemetryOptions.Section);
        // First, so that it is the last to stop and sends what the others say at their end.
        if (!string.IsNullOrEmpty(otlp))
            OpenTelemetryExport.Add(builder, role);
        if (!string.IsNullOrEmpty(insights))
            ApplicationInsights.Add(builder, insights, role);
    }

    public static void UseTelemetry(this WebApplication app)
    {
        if (!string.IsNullOrEmpty(app.Configuration[ConnectionStringKey]))
            ApplicationInsights.Use(app);
    }

    /// <summary>Requests about the process itself come every second and say nothing about the application.</summary>
    public static bool IsProbe(string path) =>
        path.StartsWith(HealthEndpoints.Prefix, StringComparison.Ordinal)
        || path.StartsWith("/$", StringComparison.Ordinal);
}
