using System.Text.RegularExpressions;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.AspNetCore.Extensions;
using Microsoft.ApplicationInsights.Channel;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.ApplicationInsights.Extensibility.Implementation.ApplicationId;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Application Insights without its background talk: requests, dependencies, exceptions and logs go to the ingestion endpoint, nothing
/// goes anywhere else, and nothing is sampled away.
/// </summary>
internal static partial class ApplicationInsights
{
    public static void Add(IServiceCollection services, string connectionString, string role)
    {
        services.AddValidatedOptions<TelemetryOptions>(TelemetryOptions.Section);
        // Registered first, or the library brings its own of each: a channel that loses what is buffered at the end, and a look-up of
        // the application id over HTTP.
        services.AddSingleton(new SendingChannel(UploadAddress(connectionString)));
        services.AddSingleton<ITelemetryChannel>(provider => provider.GetRequiredService<SendingChannel>());
        services.AddSingleton<IApplicationIdProvider>(new DictionaryApplicationIdProvider { Defined = new Dictionary<string, string>() });
        services.AddSingleton<ITelemetryInitializer>(provider =>
            new Role(role, provider.GetRequiredService<IOptions<TelemetryOptions>>().Value.EffectiveRoleInstance));
        services.AddSingleton<ITelemetryInitializer, CallsByRoute>();
        services.AddSingleton<ITelemetryInitializer, MessageAge.Measurement>();
        services.AddApplicationInsightsTelemetry(options => Configure(options, connectionString));
        services.AddApplicationInsightsTelemetryProcessor<WithoutProbes>();
        services.AddExceptionHandler<CausesOf503>(); // before the one that answers
        services.AddHostedService<LastTelemetry>();
    }

    public static void AddRedisCalls(IServiceCollection services) => services.AddHostedService<TrackRedis>();

    /// <summary>The library tells only its own channels.</summary>
    private static Uri UploadAddress(string connectionString)
    {
        var parts = connectionString.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        const string key = "IngestionEndpoint=";
        var endpoint = parts.FirstOrDefault(part => part.StartsWith(key, StringComparison.OrdinalIgnoreCase))?[key.Length..]
            ?? "https://dc.services.visualstudio.com";
        return new Uri(endpoint.TrimEnd('/') + "/v2/track");
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
        if (context.Features.Get<RequestTelemetry>() is { } request
            && context.GetEndpoint() is RouteEndpoint { RoutePattern.RawText: { } route })
        {
            request.Context.Operation.Name = request.Name = $"{context.Request.Method} {route.TrimEnd('/')}";
        }

        return next(context);
    }

    private sealed class Role(string name, string instance) : ITelemetryInitializer
    {
        public void Initialize(ITelemetry telemetry)
        {
            telemetry.Context.Cloud.RoleName = name;
            telemetry.Context.Cloud.RoleInstance = instance;
        }
    }

    /// <summary>Calls of the services' own APIs too: <c>/api/COLLECTION/ID</c> is the form of all of them.</summary>
    private sealed partial class CallsByRoute : ITelemetryInitializer
    {
        public void Initialize(ITelemetry telemetry)
        {
            if (telemetry is DependencyTelemetry { Type: "Http", Name: { } name } call)
                call.Name = IdInPath().Replace(name, "$1{id}");
        }

        [GeneratedRegex("^([A-Z]+ /api/[a-z]+/)[^/{]+")]
        private static partial Regex IdInPath();
    }

    /// <summary>Of an exception that was answered the framework says nothing, and a 503 without its cause explains nothing.</summary>
    private sealed class CausesOf503(TelemetryClient telemetry) : IExceptionHandler
    {
        public ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
        {
            if (exception is DependencyUnavailableException)
                telemetry.TrackException(exception);
            return ValueTask.FromResult(false);
        }
    }

    /// <summary>Probes and other requests about the process itself come every second and say nothing about the application.</summary>
    private sealed class WithoutProbes(ITelemetryProcessor next) : ITelemetryProcessor
    {
        public void Process(ITelemetry item)
        {
            if (item is not RequestTelemetry { Url: { } url } || !TelemetrySetup.IsProbe(url.AbsolutePath))
                next.Process(item);
        }
    }
}
