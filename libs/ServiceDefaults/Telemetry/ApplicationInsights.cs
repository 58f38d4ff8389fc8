using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.Channel;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.Extensions.Logging.ApplicationInsights;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Requests, calls, exceptions and logs go to the ingestion endpoint of Application Insights; nothing goes anywhere else, and nothing is
/// sampled away. The library's collectors are not used: the runtime's activities have all that they collect, at less CPU.
/// </summary>
internal static class ApplicationInsights
{
    public static void Add(WebApplicationBuilder builder, string connectionString, string role)
    {
        var services = builder.Services;
        services.AddSingleton(provider => new SendingChannel(UploadAddress(connectionString), provider));
        services
            .AddOptions<TelemetryConfiguration>()
            .Configure<SendingChannel, IOptions<TelemetryOptions>>(
                (telemetry, channel, options) =>
                {
                    telemetry.ConnectionString = connectionString;
                    telemetry.TelemetryChannel = channel;
                    telemetry.TelemetryInitializers.Add(new OperationCorrelationTelemetryInitializer());
                    telemetry.TelemetryInitializers.Add(new Sender(role, options.Value.EffectiveRoleInstance));
                }
            );
        services.AddSingleton(provider => new TelemetryClient(
            provider.GetRequiredService<IOptions<TelemetryConfiguration>>().Value
        ));
        services.AddSingleton<ILoggerProvider, ApplicationInsightsLoggerProvider>();
        services.Configure<LoggerFilterOptions>(filter =>
        {
            // The first rules, so that a setting of the section Logging:ApplicationInsights decides.
            filter.Rules.Insert(0, RuleOf(category: null, LogLevel.Warning));
            filter.Rules.Insert(0, RuleOf("Microsoft.AspNetCore.Hosting.Diagnostics", LogLevel.None)); // a scope for each request
        });
        services.AddHostedService(provider => provider.GetRequiredService<SendingChannel>());
        services.AddSingleton<TrackActivities>();
    }

    public static void Use(WebApplication app) =>
        app.Use(app.Services.GetRequiredService<TrackActivities>().TrackAsync);

    private static LoggerFilterRule RuleOf(string? category, LogLevel level) =>
        new(typeof(ApplicationInsightsLoggerProvider).FullName, category, level, filter: null);

    private static Uri UploadAddress(string connectionString)
    {
        using var parsed = new TelemetryConfiguration { ConnectionString = connectionString };
        return new Uri(parsed.EndpointContainer.Ingestion, "v2/track");
    }

    private sealed class Sender(string role, string instance) : ITelemetryInitializer
    {
        public void Initialize(ITelemetry telemetry)
        {
            var context = telemetry.Context;
            (context.Cloud.RoleName, context.Cloud.RoleInstance, context.Component.Version) = (
                role,
                instance,
                TelemetrySetup.Version
            );
        }
    }
}
