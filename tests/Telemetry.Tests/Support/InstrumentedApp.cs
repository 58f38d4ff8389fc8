using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.Channel;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.ApplicationInsights.Extensibility.Implementation.ApplicationId;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>A small application with the real Application Insights SDK, that sends one item of each kind.</summary>
internal sealed partial class InstrumentedApp : IAsyncDisposable
{
    private readonly WebApplication _app;

    private static int _sent;

    private InstrumentedApp(WebApplication app) => _app = app;

    /// <summary>Items that left the application, by its own count.</summary>
    public static int Sent => _sent;

    public string Address => _app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();

    public static async Task<InstrumentedApp> StartAsync(Uri collector, string key)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        builder.Services.AddHttpClient();
        builder.Services.AddSingleton<ITelemetryChannel>(new InMemoryChannel { SendingInterval = TimeSpan.FromHours(1) });
        builder.Services.AddSingleton<IApplicationIdProvider>(
            new DictionaryApplicationIdProvider { Defined = new Dictionary<string, string>() });
        builder.Services.AddSingleton<ITelemetryInitializer>(new Role());
        builder.Services.AddSingleton<TrackedRequests>();
        builder.Services.AddApplicationInsightsTelemetryProcessor<CountSent>();
        builder.Services.AddApplicationInsightsTelemetry(options =>
        {
            options.ConnectionString = $"InstrumentationKey={key};IngestionEndpoint={collector}";
            options.EnableAdaptiveSampling = options.EnableQuickPulseMetricStream = options.EnableHeartbeat = false;
            options.EnablePerformanceCounterCollectionModule = options.EnableEventCounterCollectionModule = false;
            options.EnableAppServicesHeartbeatTelemetryModule = options.EnableAzureInstanceMetadataTelemetryModule = false;
            options.EnableDiagnosticsTelemetryModule = options.AddAutoCollectedMetricExtractor = options.EnableDebugLogger = false;
        });
        builder.Logging.AddFilter<Microsoft.Extensions.Logging.ApplicationInsights.ApplicationInsightsLoggerProvider>(
            "Test", LogLevel.Information);
        var app = builder.Build();
        app.MapGet("/answer", () => "ok");
        app.MapGet("/work", Work);
        await app.StartAsync();
        return new(app);
    }

    /// <summary>Calls /work once and sends everything that this leads to.</summary>
    public async Task WorkOnceAsync(CancellationToken cancellationToken)
    {
        using var client = new HttpClient();
        using var response = await client.GetAsync(new Uri($"{Address}/work"), cancellationToken);
        // The server tracks a request after it has answered it.
        await _app.Services.GetRequiredService<TrackedRequests>().All.WaitAsync(TimeSpan.FromSeconds(30), cancellationToken);
        await _app.Services.GetRequiredService<TelemetryClient>().FlushAsync(cancellationToken);
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private static async Task Work(
        Microsoft.AspNetCore.Http.HttpContext context, IHttpClientFactory clients, TelemetryClient telemetry, ILoggerFactory loggers)
    {
        using var client = clients.CreateClient();
        await client.GetAsync(new Uri($"http://{context.Request.Host}/answer"), context.RequestAborted);
        Log.Late(loggers.CreateLogger("Test"), "d-\"1\"");
        telemetry.TrackEvent(
            "Started", new Dictionary<string, string> { ["stage"] = "1" }, new Dictionary<string, double> { ["users"] = 2.5 });
        telemetry.TrackMetric(new MetricTelemetry("Backlog", 3, 12, 2, 6, 1.5));
        telemetry.TrackMetric(new MetricTelemetry(@"\Process(??APP_WIN32_PROC??)\% Processor Time", 7.5));
        telemetry.TrackAvailability("home", DateTimeOffset.UnixEpoch.AddYears(60), TimeSpan.FromMilliseconds(300), "here", true, "fine");
        telemetry.TrackDependency(
            "redis", "cache:6379", "SET", "SET key", DateTimeOffset.UnixEpoch.AddYears(60), TimeSpan.FromMilliseconds(1.5), "OOM", false);
        try
        {
            throw new InvalidOperationException("outer", new TimeoutException("inner"));
        }
        catch (InvalidOperationException exception)
        {
            telemetry.TrackException(exception);
        }
        context.Response.StatusCode = 503;
    }

    private static partial class Log
    {
        [LoggerMessage(LogLevel.Warning, "Delivery {DeliveryId} is late")]
        public static partial void Late(ILogger logger, string deliveryId);
    }

    /// <summary>Ends when each request that /work leads to has been handed on.</summary>
    private sealed class TrackedRequests
    {
        private readonly TaskCompletionSource _work = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task All => Task.WhenAll(_work.Task, _answer.Task);

        public void Add(ITelemetry item)
        {
            if (item is RequestTelemetry { Url.AbsolutePath: "/work" })
                _work.TrySetResult();
            else if (item is RequestTelemetry { Url.AbsolutePath: "/answer" })
                _answer.TrySetResult();
        }
    }

    private sealed class CountSent(ITelemetryProcessor next, TrackedRequests tracked) : ITelemetryProcessor
    {
        public void Process(ITelemetry item)
        {
            // The collector runs in this process, so the SDK sees the upload arrive.
            if (item is RequestTelemetry { Url.AbsolutePath: "/v2/track" })
                return;
            Interlocked.Increment(ref _sent);
            next.Process(item);
            tracked.Add(item);
        }
    }

    private sealed class Role : ITelemetryInitializer
    {
        public void Initialize(ITelemetry telemetry)
        {
            telemetry.Context.Cloud.RoleName = "workflow";
            telemetry.Context.Cloud.RoleInstance = "workflow-0";
        }
    }
}
