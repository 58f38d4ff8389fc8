using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <summary>All runs on disk as one page that leads to their reports, and how the figures of each stage went from run to run.</summary>
/// <param name="runs">Oldest first.</param>
internal sealed class AllRunsReport(IReadOnlyList<KeptRun> runs, IReadOnlyList<string> unread)
{
    public const string FileName = "index.html";

    private const int MostFigures = 6,
        MostPoints = 60;

    /// <summary>Before those that the stage is checked by.</summary>
    private static readonly string[] Always = ["completed.peak", "completed.plateau"];

    public string Render()
    {
        var trends = Trends();
        IEnumerable<(string Id, string Name)> pages =
        [
            ("runs", "Runs"),
            .. trends.Select(trend => (IdOf(trend.Key), NameOf(trend.Key))),
        ];
        return Page.Render(
            "All runs",
            pages,
            Html.Of($"{Runs()}{trends.Select(trend => TrendOf(trend.Key, trend.Value))}")
        ).Markup;
    }

    /// <summary>Played stages by id and length: figures of different lengths are not comparable.</summary>
    private List<KeyValuePair<(string Stage, double K), List<(KeptRun Run, StageRecord Stage)>>> Trends() =>
        [
            .. from run in runs
            from stage in run.Run.Stages
            where
                stage.Figures.Count > 0
                && stage.Outcome is not (Outcomes.Void or Outcomes.Incomplete or Outcomes.Broken)
            group (run, stage) by (stage.Stage, run.Run.K) into same
            where same.Count() > 1
            orderby same.Key.Stage, same.Key.K descending
            select KeyValuePair.Create(same.Key, same.TakeLast(MostPoints).ToList()),
        ];

    private Html Runs()
    {
        string[] head = ["run", "played (UTC)", "stages", "length", "changed", "machine", "outcome"];
        var table = HtmlTable.Of("Runs, the newest first", head, runs.Reverse().Select(Row));
        var notes = unread.Select(why => Html.Of($"<p class=\"note\">{why}</p>"));
        return Page.Section("runs", $"{runs.Count} runs on disk", "All runs", Html.Of($"{table}{notes}"), level: "h1");
    }

    private static IEnumerable<Html> Row(KeptRun kept)
    {
        var run = kept.Run;
        return
        [
            Html.Of($"<td>{Link(kept, "", kept.Folder)}</td>"),
            HtmlTable.Cell($"{run.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm}"),
            Html.Of($"<td>{run.Stages.Select(stage => PartOf(kept, stage))}</td>"),
            HtmlTable.Cell(LengthOf(run.K)),
            HtmlTable.Cell(string.Join(", ", run.Changed.Select(change => $"{change.Key}={change.Value}"))),
            HtmlTable.Cell($"{run.Machine.Cores} cores, {run.Machine.Commit}"),
            Html.Of($"<td>{Verdicts.Badge(run.Outcome)}</td>"),
        ];
    }

    private static Html PartOf(KeptRun kept, StageRecord stage) =>
        Html.Of($"{Link(kept, $"#stage-{stage.Stage}", stage.Stage)} {Verdicts.Badge(stage.Outcome)} ");

    private static Html TrendOf((string Stage, double K) key, List<(KeptRun Run, StageRecord Stage)> played)
    {
        var (newest, id) = (played[^1].Stage, IdOf(key));
        var checks = newest.Checks.Where(check => check.RelativeTo is null).Select(check => check.Figure);
        var figures = Always.Concat(checks).Distinct().Where(newest.Figures.ContainsKey).Take(MostFigures).ToList();
        var eyebrow = $"{LengthOf(key.K)}; {played.Count} runs, the oldest first";
        return Page.Section(
            id,
            eyebrow,
            $"Stage {key.Stage}: {newest.Title}",
            Html.Of(
                $"""
            <p class="note">A line through a dot is its interval: where 95 of 100 equal runs would be by chance alone. Dashed: predicted.
            A hollow dot is of a run with changed knobs. Void, broken and incomplete stages are left out.</p>
            <div class="charts">{figures.Select((figure, i) => Chart($"{id}-{i}", figure, played))}</div>
            {HtmlTable.Of(
                $"Figures of stage {key.Stage}",
                ["run", .. figures.Select(figure => figure + "#"), "outcome"],
                played.AsEnumerable().Reverse().Select(it => FiguresOf(it.Run, it.Stage, figures)))}
            """
            )
        );
    }

    private static Html Chart(string id, string name, List<(KeptRun Run, StageRecord Stage)> played)
    {
        played = played.FindAll(it =>
            it.Stage.Figures.GetValueOrDefault(name) is { Value: var value } && double.IsFinite(value)
        );
        var points = played
            .Select(
                (it, i) =>
                    new Dot(
                        it.Run.Folder,
                        i,
                        it.Stage.Figures[name].Value,
                        NoiseOf(name, it.Stage),
                        it.Stage.Differences.Count > 0
                    )
            )
            .ToList();
        // An axis from 0 has no place for what is below it: the table has it.
        if (points.Count == 0 || points.Any(dot => dot.Y < 0))
            return Html.Empty;
        var figure = played[^1].Stage.Figures[name];
        var values = points.Where(dot => !dot.IsChanged).Select(dot => dot.Y).ToList();
        var range =
            values.Count < 2
                ? ""
                : $" {NumberText.Of(values.Min())}–{NumberText.Of(values.Max())} in {values.Count} unchanged runs.";
        var says = $"{figure.Meaning}. {NumberText.Of(points[^1].Y)}{figure.Unit} in the newest.{range}";
        return new DotChart(id, name, says, XName: null, figure.Unit.Trim(), points)
        {
            Predicted = figure.Predicted,
            Ends = (DateOf(played[0].Stage), DateOf(played[^1].Stage)),
        }.Render();

        static string DateOf(StageRecord stage) => $"{stage.StartedAt.UtcDateTime:yyyy-MM-dd}";
    }

    private static IEnumerable<Html> FiguresOf(KeptRun run, StageRecord stage, IEnumerable<string> figures) =>
        [
            Html.Of($"<td>{Link(run, $"#stage-{stage.Stage}", run.Folder)}</td>"),
            .. figures.Select(name =>
                stage.Figures.GetValueOrDefault(name) is { } figure
                    ? HtmlTable.Cell(
                        $"{NumberText.Of(figure.Value)} ± {NumberText.Of(NoiseOf(name, stage))}{figure.Unit}",
                        "number"
                    )
                    : HtmlTable.Cell("–", "number")
            ),
            Html.Of($"<td>{Verdicts.Badge(stage.Outcome)}</td>"),
        ];

    /// <summary>Nothing for a figure that only other labs know.</summary>
    private static double NoiseOf(string name, StageRecord stage) =>
        FigureTable.All.FirstOrDefault(figure => figure.Name == name) is { } known
        && Chance.DeviationOf(known, stage, stage.Figures[name].Value) is var deviation
        && double.IsFinite(deviation)
            ? Chance.Deviations * deviation
            : 0;

    private static Html Link(KeptRun kept, string part, string text) =>
        kept.HasReport ? Html.Of($"<a href=\"{PathOf(kept)}/report.html{part}\">{text}</a>") : Html.Of($"{text}");

    /// <summary>From the folder that this page is in.</summary>
    private static string PathOf(KeptRun kept) => Uri.EscapeDataString(kept.Folder);

    private static string LengthOf(double k) => k == 1 ? "full length" : $"divided by {k:0.##}";

    private static string IdOf((string Stage, double K) key) => $"stage-{key.Stage}-by-{key.K:0.##}".Replace('.', '-');

    private static string NameOf((string Stage, double K) key) =>
        $"{key.Stage}{(key.K == 1 ? " (full)" : key.K == RunOptions.Quick ? "" : $" (÷{key.K:0.##})")}";
}
