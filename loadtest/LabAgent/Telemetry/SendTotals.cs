using System.Data.Common;
using System.Net.Http.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using OpenTelemetry;
using OpenTelemetry.Logs;
using OpenTelemetry.Trace;

namespace DroneDelivery.LabAgent.Telemetry;

/// <summary>
/// Sends the event <c>TelemetrySent</c> as the service's last item. Its measurements are <c>sent</c> (including the event), <c>refused</c>
/// and <c>lost</c>.
/// </summary>
internal sealed class SendTotals(
    TelemetryAccount account,
    TracerProvider traces,
    LoggerProvider logs,
    IConfiguration configuration,
    TimeProvider time
) : IHostedLifecycleService
{
    private const int FlushTimeout = 5_000; // milliseconds

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Runs after every hosted service has stopped, so nothing more is recorded.</summary>
    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        traces.Shutdown(FlushTimeout);
        logs.Shutdown(FlushTimeout);
        using var suppressed = SuppressInstrumentationScope.Begin();
        using var http = new HttpClient { Timeout = TimeSpan.FromMilliseconds(FlushTimeout) };
        var connection = new DbConnectionStringBuilder
        {
            ConnectionString = configuration[ExactTelemetrySetup.ConnectionStringKey],
        };
        var endpoint = new Uri(new Uri($"{connection["IngestionEndpoint"]}"), "v2.1/track");
        try
        {
            using var response = await http.PostAsJsonAsync(
                endpoint,
                NewEvent($"{connection["InstrumentationKey"]}"),
                cancellationToken
            );
        }
        catch (Exception failure) when (failure is HttpRequestException or OperationCanceledException)
        {
            await Console.Error.WriteLineAsync($"Sending the telemetry totals failed: {failure.Message}");
        }
    }

    private object NewEvent(string key)
    {
        var sender = traces.GetResource().Attributes.ToDictionary(pair => pair.Key, pair => $"{pair.Value}");
        return new
        {
            name = "Event",
            time = time.GetUtcNow(),
            iKey = key,
            tags = new Dictionary<string, string>
            {
                ["ai.cloud.role"] = sender["service.name"],
                ["ai.cloud.roleInstance"] = sender["service.instance.id"],
            },
            data = new
            {
                baseType = "EventData",
                baseData = new
                {
                    name = "TelemetrySent",
                    measurements = new
                    {
                        sent = account.Recorded + 1,
                        refused = account.Refused,
                        lost = account.Lost,
                    },
                },
            },
        };
    }
}
