using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Report;

/// <summary>The overview of a run.</summary>
internal sealed class SummaryPage(RunRecord run, Func<StageRecord, StageTelemetry?> telemetryOf)
{
    private const int Colors = 8;

    /// <summary>The stages of the default sequence, or the optional stages if only those ran.</summary>
    private readonly IReadOnlyList<StageRecord> _story = run
        .Stages.Where(stage => !stage.Stage.Contains('-', StringComparison.Ordinal))
        .ToList()
        is { Count: > 0 } main
        ? main
        : run.Stages;

    public Html Render() =>
        Page.Section(
            "summary",
            $"{run.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm} UTC · {Length()}",
            Title(run),
            level: "h1",
            lead: Html.Of($"<p class=\"answer\">{Verdicts.Of(run)}{Caveats()}</p>"),
            content: Html.Of(
                $"""
                {(
                    _story.Count < 2
                        ? Html.Empty
                        : SvgChart.Render(Throughput(), Source.Of(telemetryOf(_story[0])?.Ask("throughput")))
                )}
                <h3>What happened</h3>
                <ol class="story">{_story.Select(Sentence)}</ol>
                {Guessed()}
                <h3>Stage by stage</h3>
                {Table()}
                """
            )
        );

    private Html Guessed()
    {
        var lines = run.Stages.SelectMany(stage => run.Guess?.Judge(stage) ?? []).ToList();
        return lines.Count == 0
            ? Html.Empty
            : Html.Of($"<h3>Your prediction</h3>{lines.Select(line => Html.Of($"<p class=\"says\">{line}</p>"))}");
    }

    public static string Title(RunRecord run) =>
        run.Stages switch
        {
            [] => "A run without stages",
            [var only] => $"Stage {only.Stage}: {only.Title}",
            [var first, .., var last] => $"Stages {first.Stage} to {last.Stage}",
        };

    private string Length() => run.K == 1 ? "full scale" : $"durations and sizes divided by {run.K:0.##}";

    private LineChart Throughput()
    {
        var peaks = _story
            .Where(stage => stage.Figures.Count > 0)
            .Select(stage => $"{StageFacts.Figure(stage, "completed.peak"):0.0}");
        return new(
            "throughput-of-all",
            "Throughput of each stage: messages completed",
            $"Best 5 seconds of each, in messages per second: {string.Join(", ", peaks)}.",
            "messages/s",
            [
                .. _story.Select(
                    (stage, i) =>
                        new Line(
                            $"stage {stage.Stage}",
                            $"stage-{i % Colors}",
                            new StageCharts(stage, telemetryOf(stage)).Completed()
                        )
                ),
            ],
            StageFacts.Marks(
                _story.Max(stage => stage.Profile.PlateauStart),
                _story.Max(stage => stage.Profile.DurationSeconds)
            )
        )
        {
            IsWide = true,
        };
    }

    private Html Sentence(StageRecord stage)
    {
        var number = stage.Stage.Split('-')[0];
        var text = stage.WhyHidden ?? Story.Of(run, stage) ?? stage.Reason;
        return Html.Of($"<li value=\"{number}\"><a href=\"#stage-{stage.Stage}\">{stage.Title}.</a> {text}</li>");
    }

    private string Caveats()
    {
        var changes = string.Join(", ", run.Changed.Select(change => $"{change.Key}={change.Value}"));
        var changed =
            run.Changed.Count > 0 ? $" You changed settings ({changes}), so published ranges don't apply." : "";
        var emulated = run.Stages.FirstOrDefault(stage => stage.Environment.Latency.Count > 0) is { } stage
            ? $" Rates and durations depend on emulated latency ({stage.Environment.Name})."
            : "";
        return changed + emulated;
    }

    private Html Table() =>
        HtmlTable.Of(
            "Stages",
            ["stage", "", "best 5 s#", "full load#", "completed#", "backlog#", "node CPU p95#", "checks#", "verdict"],
            run.Stages.Select(Row)
        );

    private static IEnumerable<Html> Row(StageRecord stage)
    {
        var holds = stage.Checks.Count(check => check.Holds == true);
        return
        [
            Html.Of($"<td><a href=\"#stage-{stage.Stage}\">{stage.Stage}</a></td>"),
            HtmlTable.Cell(stage.Title),
            Figure(stage, "completed.peak"),
            Figure(stage, "completed.plateau"),
            Figure(stage, "completed.underLoad"),
            Figure(stage, "backlog.loadEnd"),
            Figure(stage, "node.p95"),
            HtmlTable.Cell($"{holds} of {stage.Checks.Count(check => check.Holds is not null)}", "number"),
            Html.Of($"<td>{Verdicts.Badge(stage.Outcome)}</td>"),
        ];
    }

    private static Html Figure(StageRecord stage, string name) =>
        stage.Figures.GetValueOrDefault(name) is { } figure
            ? HtmlTable.Number(figure.Value, figure.Unit)
            : HtmlTable.Cell("–", "number");
}
