using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>A run's report with its telemetry behind it, on the loopback: its lists and queries see all that the run has kept.</summary>
internal static class ServedReport
{
    /// <summary>Larger than any query that a person types.</summary>
    private const int MostBytes = 1 << 20;

    /// <exception cref="LabException">The port is in use.</exception>
    public static Task<ServedPage> StartAsync(RunRecord run, RunTelemetry telemetry, int port, CancellationToken cancellationToken)
    {
        // Nothing is measured meanwhile: a query may take what `lab query` may.
        var limits = QueryLimits.Default;
        var report = RunReport.Render(run, telemetry, limits);
        return ServedPage.StartAsync(port, MostBytes, "", Map, with: null, cancellationToken);

        void Map(WebApplication host) => host
            .MapAsking(() => telemetry, new(() => telemetry, limits, () => DateTimeOffset.MaxValue))
            .MapGet("/", () => Results.Content(report, "text/html; charset=utf-8"));
    }
}
