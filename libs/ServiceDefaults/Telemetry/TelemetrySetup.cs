using DroneDelivery.ServiceDefaults.Health;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Application Insights is on when <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c> is set, OpenTelemetry when
/// <c>OTEL_EXPORTER_OTLP_ENDPOINT</c> is; either, both or none. What is off is not loaded: this class does not mention the types of the
/// libraries, so the runtime never looks for their assemblies.
/// </summary>
internal static class TelemetrySetup
{
    private const string ConnectionStringKey = "APPLICATIONINSIGHTS_CONNECTION_STRING";

    public static void AddTelemetry(this WebApplicationBuilder builder, string role)
    {
        // First, so that it is the last to stop and sends what the others say at their end.
        if (builder.Configuration[OtlpOptions.EndpointKey] is { Length: > 0 })
            OpenTelemetryExport.Add(builder, role);
        if (builder.Configuration[ConnectionStringKey] is { Length: > 0 } connectionString)
        {
            ApplicationInsights.Add(builder.Services, connectionString, role);
            if (builder.Configuration.GetValue<bool>($"{TelemetryOptions.Section}:{nameof(TelemetryOptions.TrackRedis)}"))
                ApplicationInsights.AddRedisCalls(builder.Services);
        }
    }

    /// <summary>Requests about the process itself come every second and say nothing about the application.</summary>
    public static bool IsProbe(string path) =>
        path.StartsWith(HealthEndpoints.Prefix, StringComparison.Ordinal) || path.StartsWith("/$", StringComparison.Ordinal);

    public static void UseTelemetryNames(this WebApplication app)
    {
        if (app.Configuration[ConnectionStringKey] is { Length: > 0 })
            app.Use(ApplicationInsights.NameByRoute);
        if (app.Configuration[OtlpOptions.EndpointKey] is { Length: > 0 })
            app.Use(RequestSpans.CompleteAsync);
    }
}
