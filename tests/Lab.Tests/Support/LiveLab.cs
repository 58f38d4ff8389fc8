using Microsoft.AspNetCore.Builder;

namespace DroneDelivery.Lab.Tests.Support;

internal sealed class LiveLab : IAsyncDisposable
{
    private readonly WebApplication _host;

    private LiveLab(WebApplication host, ManualTimeProvider clock) =>
        (_host, Clock, Http.BaseAddress) = (host, clock, new Uri(host.Urls.First()));

    public ManualTimeProvider Clock { get; }

    public HttpClient Http { get; } = new();

    public static async Task<LiveLab> StartAsync(TelemetryStore store, LiveRun? run = null, DateTimeOffset? now = null)
    {
        var host = LabHost.Create("http://127.0.0.1:0", maxBytes: 1 << 20);
        var clock = new ManualTimeProvider(now ?? FakeRun.Start.AddMinutes(2));
        host.MapLivePage(store, run ?? new LiveRun(), clock);
        await host.StartAsync(Cancel);
        return new(host, clock);
    }

    public static void Leave(string name, string text) =>
        File.WriteAllText(Path.Combine(Directory.CreateDirectory(OwnArtifacts.OfBrowserTests).FullName, name), text);

    public Task StopAsync() => _host.StopAsync(Cancel);

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await _host.DisposeAsync();
    }
}
