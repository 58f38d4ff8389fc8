using DroneDelivery.ServiceDefaults.Health;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.AspNetCore.Extensions;
using Microsoft.ApplicationInsights.Channel;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.ApplicationInsights.Extensibility.Implementation.ApplicationId;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Application Insights without its background talk: requests, dependencies, exceptions and logs go to the ingestion endpoint, nothing
/// goes anywhere else, and nothing is sampled away.
/// </summary>
internal static class ApplicationInsights
{
    public static void Add(IServiceCollection services, string connectionString, string role)
    {
        // Registered first, or the library brings its own of each: a channel that loses what is buffered at the end, and a look-up of
        // the application id over HTTP.
        services.AddSingleton<ITelemetryChannel>(new InMemoryChannel { SendingInterval = TimeSpan.FromSeconds(1), MaxTelemetryBufferCapacity = 500 });
        services.AddSingleton<IApplicationIdProvider>(new DictionaryApplicationIdProvider { Defined = new Dictionary<string, string>() });
        services.AddSingleton<ITelemetryInitializer>(new RoleName(role));
        services.AddApplicationInsightsTelemetry(options => Configure(options, connectionString));
        services.AddApplicationInsightsTelemetryProcessor<WithoutProbes>();
        services.AddHostedService<FlushAtEnd>();
    }

    private static void Configure(ApplicationInsightsServiceOptions options, string connectionString)
    {
        options.ConnectionString = connectionString;
        options.EnableAdaptiveSampling = false;
        options.EnableQuickPulseMetricStream = false;
        options.EnableHeartbeat = false;
        options.EnablePerformanceCounterCollectionModule = false;
        options.EnableEventCounterCollectionModule = false;
        options.EnableAppServicesHeartbeatTelemetryModule = false;
        options.EnableAzureInstanceMetadataTelemetryModule = false;
        options.EnableDiagnosticsTelemetryModule = false;
        options.AddAutoCollectedMetricExtractor = false;
        options.EnableDebugLogger = false;
    }

    /// <summary><c>GET /api/packages/{id}</c> instead of one name per id. (A group of routes ends its own path with a slash.)</summary>
    public static Task NameByRoute(HttpContext context, RequestDelegate next)
    {
        if (context.Features.Get<RequestTelemetry>() is { } request && context.GetEndpoint() is RouteEndpoint { RoutePattern.RawText: { } route })
            request.Context.Operation.Name = request.Name = $"{context.Request.Method} {route.TrimEnd('/')}";
        return next(context);
    }

    private sealed class RoleName(string role) : ITelemetryInitializer
    {
        // The process id tells replicas on one machine apart; in a cluster the machine name already does.
        private readonly string _instance = $"{Environment.MachineName}-{Environment.ProcessId}";

        public void Initialize(ITelemetry telemetry)
        {
            telemetry.Context.Cloud.RoleName = role;
            telemetry.Context.Cloud.RoleInstance = _instance;
        }
    }

    /// <summary>Probes come every second from every side and say nothing about the application.</summary>
    private sealed class WithoutProbes(ITelemetryProcessor next) : ITelemetryProcessor
    {
        public void Process(ITelemetry item)
        {
            if (item is not RequestTelemetry { Url: { } url } || !url.AbsolutePath.StartsWith(HealthEndpoints.Prefix, StringComparison.Ordinal))
                next.Process(item);
        }
    }

    /// <summary>Sends what is buffered once the last request and the last message are done; the library does not.</summary>
    private sealed class FlushAtEnd(TelemetryClient telemetry) : IHostedLifecycleService
    {
        public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task StoppedAsync(CancellationToken cancellationToken) => await telemetry.FlushAsync(cancellationToken);
    }
}
