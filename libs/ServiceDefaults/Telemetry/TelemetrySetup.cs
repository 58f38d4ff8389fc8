using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// On when <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c> is set. Otherwise nothing of the library is loaded: this class does not mention
/// its types, so the runtime never looks for the assembly.
/// </summary>
internal static class TelemetrySetup
{
    private const string ConnectionStringKey = "APPLICATIONINSIGHTS_CONNECTION_STRING";

    public static void AddTelemetry(this WebApplicationBuilder builder, string role)
    {
        if (builder.Configuration[ConnectionStringKey] is { Length: > 0 } connectionString)
        {
            ApplicationInsights.Add(builder.Services, connectionString, role);
            if (builder.Configuration.GetValue<bool>($"{TelemetryOptions.Section}:{nameof(TelemetryOptions.TrackRedis)}"))
                ApplicationInsights.AddRedisCalls(builder.Services);
        }
    }

    public static void UseTelemetryNames(this WebApplication app)
    {
        if (app.Configuration[ConnectionStringKey] is { Length: > 0 })
            app.Use(ApplicationInsights.NameByRoute);
    }
}
