using System.Diagnostics;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Replays;
using DroneDelivery.Lab.Telemetry;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Replays;

/// <summary>Application Insights is not here: what is asked, and how answers are read, is tried with an <c>az</c> that records and answers.</summary>
public sealed class TelemetryOfATarget : IDisposable
{
    private const string Az = """
        #!/bin/sh
        echo "$@" >> "$(dirname "$0")/asked"
        echo '{ "tables": [{ "name": "PrimaryResult",
          "columns": [{ "name": "accepted", "type": "long" }, { "name": "completed", "type": "long" }, { "name": "unaccounted", "type": "long" },
            { "name": "brokerAccepted", "type": "long" }, { "name": "brokerCompleted", "type": "long" }, { "name": "succeeded", "type": "long" },
            { "name": "failed", "type": "long" }, { "name": "lost", "type": "long" }, { "name": "errors", "type": "long" }, { "name": "first", "type": "datetime" },
            { "name": "avg_duration", "type": "real" }, { "name": "percentile_duration_50", "type": "real" }, { "name": "percentile_duration_95", "type": "real" }],
          "rows": [[80, 78, 0, null, null, 78, 0, 0, 3, "2026-01-01T12:00:05.5Z", 245.5, 240, 312.25]] }] }'
        """;

    private static readonly StageTimes Stage = new("2", new(2026, 1, 1, 12, 0, 0, TimeSpan.Zero), new(2026, 1, 1, 12, 1, 15, TimeSpan.Zero));
    private static readonly IReadOnlyList<Reading> Readings = [ReadingAt(0, 0), ReadingAt(30, 9), ReadingAt(75, 2)];
    private readonly string _folder = Directory.CreateTempSubdirectory("az").FullName;

    [Fact]
    public async Task The_query_files_are_asked_about_the_stage_and_their_answers_give_the_figures()
    {
        var az = Path.Combine(_folder, "az");
        await File.WriteAllTextAsync(az, Az, TestContext.Current.CancellationToken);
        using (var executable = Process.Start("chmod", ["+x", az]))
            await executable.WaitForExitAsync(TestContext.Current.CancellationToken);
        var telemetry = new AzureTelemetry(az, "drone", "drone-delivery", _folder, TimeProvider.System);

        var figures = await telemetry.FiguresAsync(Stage, Readings, Sources.Stocks, accepted: 80, TestContext.Current.CancellationToken);

        Assert.Equal((80, 0, 78, 3, 5.5), (figures["telemetry.accepted"], figures["telemetry.unaccounted"], figures["telemetry.completed"], figures["telemetry.errors"], figures["telemetry.firstError"]));
        Assert.Equal((245.5, 312.25), (figures["telemetry.processMean"], figures["telemetry.processP95"]));
        Assert.True(double.IsNaN(figures["telemetry.completedDifference"]));
        var asked = await File.ReadAllLinesAsync(Path.Combine(_folder, "asked"), TestContext.Current.CancellationToken);
        Assert.Contains($"monitor app-insights query --apps drone --resource-group drone-delivery --start-time 2026-01-01T12:00:00Z --end-time 2026-01-01T12:01:15Z --analytics-query @{_folder}/queries/throughput.kql --output json", asked);
    }

    [Fact]
    public async Task Without_az_the_queries_wait_in_the_folder_and_no_figure_is_known()
    {
        var telemetry = new AzureTelemetry(null, "drone", "drone-delivery", _folder, TimeProvider.System);

        Assert.Empty(await telemetry.FiguresAsync(Stage, Readings, Sources.Stocks, accepted: 80, TestContext.Current.CancellationToken));

        Assert.All(TelemetryFigures.All, figure => Assert.True(File.Exists(Path.Combine(_folder, "queries", figure.Query + ".kql"))));
    }

    [Fact]
    public void A_query_is_about_the_stage_and_brings_the_samples_that_Azure_does_not_have()
    {
        var text = AzureTelemetry.About(File.ReadAllText(Path.Combine(QueryFile.Folder, "conservation.kql")), Stage, Readings);

        var (samples, query) = (text[..text.IndexOf('\n', StringComparison.Ordinal)], text[text.IndexOf('\n', StringComparison.Ordinal)..]);
        Assert.StartsWith("let queueSamples = datatable(timestamp:datetime, queue:string, incoming:long,", samples, StringComparison.Ordinal);
        Assert.Contains("[datetime(2026-01-01T12:00:00.0000000Z), 'delivery-requests', 0, 0, 0, 0, 0, 0, 0, datetime(2026-01-01T12:01:15.0000000Z), 'delivery-requests', 0, 0, 2, 0, 0, 0, 0];", samples, StringComparison.Ordinal);
        Assert.Contains("\nlet start = datetime(2026-01-01T12:00:00.0000000Z);\nlet end = datetime(2026-01-01T12:01:15.0000000Z);\n", query, StringComparison.Ordinal);
        Assert.DoesNotContain("ago(", query, StringComparison.Ordinal);
        KqlQuery.Parse(query); // throws where it is none
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static Reading ReadingAt(double seconds, long active) => new(Stage.Start.AddSeconds(seconds), QueueCounters.Zero with { Active = active }, 0, 0);
}
