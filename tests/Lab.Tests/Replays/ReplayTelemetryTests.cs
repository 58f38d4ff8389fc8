using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Replays;

/// <summary>Application Insights is not here: an <c>az</c> that records and answers shows what is asked and how answers are read.</summary>
public sealed class ReplayTelemetryTests : IDisposable
{
    private const string Az = """
        #!/bin/sh
        echo "$AZURE_EXTENSION_USE_DYNAMIC_INSTALL $@" >> "$(dirname "$0")/asked"
        echo '{ "tables": [{ "name": "PrimaryResult",
          "columns": [
            { "name": "accepted", "type": "long" }, { "name": "completed", "type": "long" }, { "name": "unaccounted", "type": "long" },
            { "name": "brokerAccepted", "type": "long" }, { "name": "brokerCompleted", "type": "long" },
            { "name": "succeeded", "type": "long" }, { "name": "failed", "type": "long" }, { "name": "lost", "type": "long" },
            { "name": "errors", "type": "long" }, { "name": "firstAt", "type": "datetime" },
            { "name": "avg_duration", "type": "real" },
            { "name": "percentile_duration_50", "type": "real" }, { "name": "percentile_duration_95", "type": "real" },
            { "name": "percentile_age_50", "type": "real" }, { "name": "percentile_age_95", "type": "real" },
            { "name": "percentile_age_99", "type": "real" }],
          "rows": [[80, 78, 0, null, null, 78, 0, 0, 2, "2026-01-01T12:00:09Z", 245.5, 240, 312.25, 900, 2500, 4000],
            [0, 0, 0, null, null, 0, 0, 0, 1, "2026-01-01T12:00:05.5Z", 0, 0, 0, 0, 0, 0]] }] }'
        """;

    private static readonly StageTimes Stage = new(
        "2",
        new(2026, 1, 1, 12, 0, 0, TimeSpan.Zero),
        new(2026, 1, 1, 12, 1, 15, TimeSpan.Zero)
    );
    private static readonly IReadOnlyList<Reading> Readings = [ReadingAt(0, 0), ReadingAt(30, 9), ReadingAt(75, 2)];
    private readonly string _folder = Directory.CreateTempSubdirectory("az").FullName;

    [Fact]
    public async Task The_query_files_are_asked_about_the_stage_and_their_answers_give_the_figures()
    {
        var telemetry = new AzureTelemetry(
            Program(Az),
            "drone",
            "drone-delivery",
            _folder,
            _ => { },
            TimeProvider.System
        );

        var figures = await telemetry.FiguresAsync(Stage, Readings, Sources.Stocks, accepted: 80, Cancel);

        Assert.Equal(
            (80, 0, 78, 3, 5.5),
            (
                figures["telemetry.accepted"],
                figures["telemetry.unaccounted"],
                figures["telemetry.completed"],
                figures["telemetry.errors"],
                figures["telemetry.firstError"]
            )
        );
        Assert.Equal((245.5, 312.25), (figures["telemetry.processMean"], figures["telemetry.processP95"]));
        Assert.Equal(
            (0.9, 2.5, 4),
            (figures["telemetry.ageP50"], figures["telemetry.ageP95"], figures["telemetry.ageP99"])
        );
        Assert.True(double.IsNaN(figures["telemetry.completedDifference"]));
        var asked = await File.ReadAllLinesAsync(Path.Combine(_folder, "asked"), Cancel);
        Assert.Contains(
            "yes_without_prompt monitor app-insights query --apps drone --resource-group drone-delivery "
                + "--start-time 2026-01-01T12:00:00Z --end-time 2026-01-01T12:01:15Z "
                + $"--analytics-query @{_folder}/queries/throughput.kql --output json",
            asked
        );
    }

    [Fact]
    public async Task Telemetry_that_does_not_arrive_in_time_is_said_to_be_missing_and_gives_no_figure()
    {
        var notices = new List<string>();
        var telemetry = new AzureTelemetry(
            Program(Az),
            "drone",
            "drone-delivery",
            _folder,
            notices.Add,
            new FleetingTime()
        );

        Assert.Empty(await telemetry.FiguresAsync(Stage, Readings, Sources.Stocks, accepted: 81, Cancel));

        Assert.Contains("still lacks telemetry of the stage", notices[^1], StringComparison.Ordinal);
    }

    /// <summary>Otherwise no request would have failed because nobody had read that it did.</summary>
    [Theory]
    [InlineData(0, null)]
    [InlineData(0.99, null)]
    [InlineData(1, 3.0)]
    public void How_many_requests_failed_is_known_once_all_telemetry_of_the_stage_has_arrived(
        double arrived,
        double? failed
    )
    {
        var measured = new Imitation("2") { Capacity = 12 }.Measure() with
        {
            Told = Sources.Stocks | Sources.WholeStage,
        };
        var figures = new Dictionary<string, double>
        {
            ["telemetry.accepted"] = Math.Floor(arrived * measured.Load.Accepted),
            ["telemetry.errors"] = 3,
        };

        var (told, missing) = Replay.With(measured, figures);

        Assert.Equal(failed, FigureTable.Of(told).TryGetValue("http.5xx", out var value) ? value : null);
        Assert.Equal(failed is null, missing is not null);
    }

    [Fact]
    public async Task Without_az_the_queries_wait_in_the_folder_and_no_figure_is_known()
    {
        var telemetry = new AzureTelemetry(null, "drone", "drone-delivery", _folder, _ => { }, TimeProvider.System);

        Assert.Empty(await telemetry.FiguresAsync(Stage, Readings, Sources.Stocks, accepted: 80, Cancel));

        Assert.All(TelemetryFigures.All, figure =>
            Assert.True(File.Exists(Path.Combine(_folder, "queries", figure.Query + ".kql")))
        );
    }

    [Fact]
    public void A_query_is_about_the_stage_and_brings_the_samples_that_Azure_does_not_have()
    {
        var text = AzureTelemetry.About(QueryFile.Text("conservation"), Stage, Readings);

        var (samples, query) = (
            text[..text.IndexOf('\n', StringComparison.Ordinal)],
            text[text.IndexOf('\n', StringComparison.Ordinal)..]
        );
        // tests/kusto puts the same line before a query and shows both to Azure's parser.
        Assert.Equal(File.ReadAllText(Path.Combine(Repository.Root, "tests", "kusto", "samples.kql")).Trim(), samples);
        AssertHas(
            query,
            "\nlet start = datetime(2026-01-01T12:00:00.000Z);\nlet end = datetime(2026-01-01T12:01:15.000Z);\n"
        );
        Assert.DoesNotContain("ago(", query, StringComparison.Ordinal);
        KqlQuery.Parse(query); // throws where it is none
    }

    private string Program(string script)
    {
        var path = Path.Combine(_folder, "az");
        Script.Write(path, script);
        return path;
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static Reading ReadingAt(double seconds, long active) =>
        new(Stage.Start.AddSeconds(seconds), QueueCounters.Zero with { Active = active }, 0, 0);
}
