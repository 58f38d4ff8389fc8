using System.Net.Http.Json;
using System.Text.Json;

namespace DroneDelivery.Lab.Telemetry;

/// <summary>Puts the counters of a broker that others run into the collected telemetry, once a second while it answers.</summary>
internal sealed class QueueSampler : IAsyncDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);
    private readonly HttpClient _http = new() { Timeout = TimeSpan.FromSeconds(5) };
    private readonly SampleGaps _gaps;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _loop;

    /// <param name="collector">Where samples go.</param>
    /// <param name="broker">Base address.</param>
    /// <param name="clock">Paces the samples.</param>
    /// <param name="notice">Told, in a sentence, of a gap in the samples and of its end.</param>
    public QueueSampler(TelemetryCollector collector, Uri broker, TimeProvider clock, Action<string> notice)
    {
        _gaps = new(notice, clock);
        _loop = LoopAsync(collector, new Uri(broker, "$counters"), clock, _stop.Token);
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _loop;
        _stop.Dispose();
        _http.Dispose();
    }

    private async Task LoopAsync(TelemetryCollector collector, Uri counters, TimeProvider clock, CancellationToken stopping)
    {
        using var timer = new PeriodicTimer(Period, clock);
        try
        {
            do
                await _gaps.SampleAsync("The broker", token => SampleAsync(collector, counters, token), stopping);
            while (await timer.WaitForNextTickAsync(stopping));
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
        }
    }

    private async Task SampleAsync(TelemetryCollector collector, Uri counters, CancellationToken stopping) =>
        collector.Samples.Broker(await _http.GetFromJsonAsync<JsonElement>(counters, stopping));
}
