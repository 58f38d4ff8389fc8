using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Report;

/// <summary>The progress of a run, for the live dashboard.</summary>
internal sealed class LiveRun
{
    public bool HasFlights { get; init; }

    /// <summary>Hides checks, predictions, and causes from a workshop participant. The default hides nothing.</summary>
    public Func<StageRecord, StageRecord> View { get; init; } = stage => stage;

    /// <summary>The current stage, if any.</summary>
    public LiveStage? Stage { get; private set; }

    /// <summary>The completed stages and their results so far: a check of two stages waits for both.</summary>
    public IReadOnlyList<StageRecord> Ended { get; private set; } = [];

    public void Begin(LiveStage stage) => Stage = stage with { Record = View(stage.Record) };

    public void End(IReadOnlyList<StageRecord> ended) => Ended = [.. ended.Select(View)];
}

internal sealed record LiveStage(StageRecord Record, DateTimeOffset Start)
{
    public static LiveStage Of(StagePlan plan, DateTimeOffset start)
    {
        var figures = new Dictionary<string, IReadOnlyDictionary<string, double>>();
        return new(
            StageRecord.Of(new(plan, start, Measured: null, new Series([])), figures, whyVoid: null, reason: null),
            start
        );
    }
}

/// <summary>The results of completed stages, and the checks of the current one.</summary>
internal static class LiveVerdicts
{
    public static Html Of(LiveRun run) => Html.Of($"{Now(run.Stage)}{run.Ended.Select(Line)}");

    private static Html Now(LiveStage? stage) =>
        stage is { Record.Differences: { Count: > 0 } differences }
            ? Html.Of(
                $"""
                <p class="note">Stage {stage.Record.Stage} is running with {string.Join(", ", differences)}.
                It will be checked against the prediction for these knobs; values outside a published band aren't failures.</p>
                """
            )
            : Html.Empty;

    private static Html Line(StageRecord stage)
    {
        var graded = stage.Differences.Count > 0 ? VerdictText.Of(stage) : VerdictText.Predictions(stage);
        return Html.Of(
            $"""
            <p class="note">{Verdicts.Badge(stage.Outcome)} Stage {stage.Stage} is {Outcomes.Say(stage.Outcome)}.
            {stage.Reason ?? stage.WhyHidden ?? graded}</p>
            """
        );
    }
}

internal static class LiveTiles
{
    private static readonly (string Column, string Name, string Unit)[] Figures =
    [
        ("incoming", "incoming", "/s"),
        ("outgoing", "outgoing", "/s"),
        ("completed", "completed", "/s"),
        ("waiting", "waiting in the queue", ""),
        ("locked", "locked", ""),
        ("lockLost", "locks lost", "/s"),
        ("deadLetter", "dead-lettered", ""),
    ];

    public static Html Of(
        RunTelemetry telemetry,
        LiveStage? stage,
        DateTimeOffset now,
        CancellationToken cancellationToken
    )
    {
        var rows = telemetry.Ask("right-now", new("now", now.AddMinutes(-1), now), cancellationToken);
        var rates = Enumerable
            .Range(0, rows.Rows)
            .Where(TimeRows.IsOfQueue(rows))
            .Take(1)
            .SelectMany(row =>
                Figures.Select(tile =>
                    Tile(tile.Name, Rounded(TimeRows.Number(rows.Column(tile.Column).ElementAt(row))) + tile.Unit)
                )
            );
        return Html.Of(
            $"<dl class=\"tiles\" title=\"Rates are of the last 10 seconds.\">{Time(stage, now)}{rates}</dl>"
        );
    }

    // Tenths of a large rate are noise.
    private static string Rounded(double value) => NumberText.Of(Math.Round(value, value < 10 ? 1 : 0));

    private static Html Time(LiveStage? stage, DateTimeOffset now)
    {
        if (stage is null)
            return Tile("the load", "has not started");
        var at = Math.Max(0, (now - stage.Record.StartedAt).TotalSeconds);
        var time = TimeSpan.FromSeconds(Math.Floor(at));
        return Html.Of(
            $"{Tile($"stage {stage.Record.Stage}", $@"{time:m\:ss}")}{Tile("users", $"{stage.Record.Profile.UsersAt(at)}")}"
        );
    }

    public static Html Tile(string name, string value) => Html.Of($"<div><dt>{name}</dt><dd>{value}</dd></div>");
}
