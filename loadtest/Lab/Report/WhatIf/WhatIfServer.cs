using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>A server on the loopback with the page and nothing else.</summary>
internal sealed class WhatIfServer : IAsyncDisposable
{
    private readonly WebApplication _host;
    private readonly PlayedRun _played;

    private WhatIfServer(WebApplication host, PlayedRun played) =>
        (_host, _played, Address) = (host, played, new UriBuilder(host.Urls.First()) { Host = "localhost", Path = "/what-if" }.Uri);

    /// <summary>Of the page.</summary>
    public Uri Address { get; }

    /// <param name="port">0 takes a free one.</param>
    /// <param name="prices">Name of a file of loadtest/prices.</param>
    /// <param name="ports">Of a run that the page starts.</param>
    /// <exception cref="LabException">The port is in use.</exception>
    public static async Task<WhatIfServer> StartAsync(
        int port, double k, string prices, Ports ports, CancellationToken cancellationToken)
    {
        var host = LabHost.Create($"http://127.0.0.1:{port}", mostBytes: 0);
        var played = new PlayedRun(Path.Combine(Repository.Artifacts, "what-if"), ports);
        host.MapGet("/", () => Results.Redirect("/what-if"));
        host.MapWhatIf(k, () => PriceFile.Load(prices), played);
        await host.StartOrSayAsync(
            $"Port {port} is in use. Choose another one: --port, or --port 0 for a free one.", cancellationToken);
        return new(host, played);
    }

    public async ValueTask DisposeAsync()
    {
        await _host.DisposeAsync();
        await _played.DisposeAsync();
    }
}
