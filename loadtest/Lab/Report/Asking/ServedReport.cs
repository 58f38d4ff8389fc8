using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>A run's report with its telemetry behind it, on the loopback: its lists and queries see all that the run has kept.</summary>
internal sealed class ServedReport : IAsyncDisposable
{
    /// <summary>Larger than any query that a person types.</summary>
    private const int MostBytes = 1 << 20;

    private readonly WebApplication _host;

    private ServedReport(WebApplication host) =>
        (_host, Address) = (host, new UriBuilder(host.Urls.First()) { Host = "localhost" }.Uri);

    public Uri Address { get; }

    /// <summary>Nothing is measured meanwhile: a query may take what <c>lab query</c> may.</summary>
    public static QueryLimits Limits => QueryLimits.Default;

    /// <param name="port">0 takes a free one.</param>
    /// <exception cref="LabException">The port is in use.</exception>
    public static async Task<ServedReport> StartAsync(
        RunRecord run, RunTelemetry telemetry, int port, CancellationToken cancellationToken)
    {
        var report = RunReport.Render(run, telemetry, Limits);
        var host = LabHost.Create($"http://127.0.0.1:{port}", MostBytes);
        host.MapAsking(() => telemetry, new(() => telemetry, Limits, () => DateTimeOffset.MaxValue))
            .MapGet("/", () => Results.Content(report, "text/html; charset=utf-8"));
        await host.StartOrSayAsync(
            $"Port {port} is in use. Choose another one: --port, or --port 0 for a free one.", cancellationToken);
        return new(host);
    }

    public ValueTask DisposeAsync() => _host.DisposeAsync();
}
