namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Exports to Application Insights and over OTLP, if configured. Otherwise, no telemetry library is loaded, because this class doesn't use
/// their types.
/// </summary>
internal static class TelemetrySetup
{
    private const string OtlpEndpointKey = "OTEL_EXPORTER_OTLP_ENDPOINT",
        ConnectionStringKey = "APPLICATIONINSIGHTS_CONNECTION_STRING";

    public static void AddTelemetry(this WebApplicationBuilder builder, string role)
    {
        var hasOtlp = !string.IsNullOrEmpty(builder.Configuration[OtlpEndpointKey]);
        var connectionString = builder.Configuration[ConnectionStringKey];
        if (hasOtlp || !string.IsNullOrEmpty(connectionString))
            TelemetryPipeline.Add(builder, role, hasOtlp, connectionString);
    }
}
