using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Sends what is buffered once the last request and the last message are done; the library does not. The last item says how many there
/// were, so that whoever keeps them can tell whether all are there.
/// </summary>
internal sealed partial class LastTelemetry : IHostedLifecycleService
{
    /// <summary>Event whose measurements are <c>sent</c> (with itself), <c>refused</c> and <c>lost</c>, of this process.</summary>
    public const string EventName = "TelemetrySent";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private readonly TelemetryClient _telemetry;
    private readonly SendingChannel _channel;
    private readonly ILogger<LastTelemetry> _logger;

    public LastTelemetry(TelemetryClient telemetry, SendingChannel channel, ILogger<LastTelemetry> logger)
    {
        (_telemetry, _channel, _logger) = (telemetry, channel, logger);
        var outage = new Outage("Telemetry", logger);
        channel.Outcome = failure =>
        {
            if (failure is null)
                outage.Succeeded();
            else
                outage.Failed($"{failure}.");
        };
    }

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        timeout.CancelAfter(Patience);
        await ((Task)_channel.FlushAsync(timeout.Token)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        var before = _channel.Tally;
        var last = new EventTelemetry(EventName);
        (last.Metrics["sent"], last.Metrics["refused"], last.Metrics["lost"]) = (before.Sent + 1, before.Refused, before.Lost);
        _telemetry.TrackEvent(last);
        await _channel.EndAsync(timeout.Token);
        var tally = _channel.Tally;
        Log.Sent(_logger, tally.Sent, tally.Kept, tally.Refused, tally.Lost);
    }

    private static partial class Log
    {
        [LoggerMessage(
            Level = LogLevel.Information,
            Message = "Telemetry: {Sent} items sent, {Kept} kept, {Refused} refused, {Lost} lost.")]
        public static partial void Sent(ILogger logger, long sent, long kept, long refused, long lost);
    }
}
