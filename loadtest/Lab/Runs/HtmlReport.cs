using System.Globalization;
using System.Net;
using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Runs;

/// <summary>A run as one HTML file that needs nothing else: no script, no font, no network.</summary>
internal static class HtmlReport
{
    private const string Style = """
        :root { color-scheme: light dark; --page: #fff; --text: #1c2430; --muted: #5a6472; --rule: #dfe3e8; --good: #17803d; --bad: #c4314b; }
        @media (prefers-color-scheme: dark) { :root { --page: #14181e; --text: #e6eaf0; --muted: #a3adba; --rule: #2c333d; --good: #57d488; --bad: #ff7b8f; } }
        body { background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
        h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
        .muted { color: var(--muted); } .holds { color: var(--good); font-weight: 600; } .fails { color: var(--bad); font-weight: 600; }
        .scroll { overflow-x: auto; } details { margin: 1rem 0; } summary { cursor: pointer; }
        table { border-collapse: collapse; width: 100%; font-size: .92rem; }
        th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        """;

    public static string Render(RunRecord run) => $"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{Title(run)}</title>
        <style>
        {Style}
        {ChartStyle.Css}
        </style>
        </head>
        <body>
        <h1>{Title(run)}</h1>
        <p>{Summary(run)}</p>
        {string.Concat(RunCharts.Of(run).Select(SvgChart.Render))}
        {string.Concat(run.Stages.Select(stage => StageSection(run, stage)))}
        <h2>Conditions</h2>
        {Conditions(run)}
        </body>
        </html>

        """;

    private static string Title(RunRecord run) =>
        run.Stages is [var only] ? $"Stage {Text(only.Stage)}: {Text(only.Title)}" : $"Stages {Text(string.Join(", ", run.Stages.Select(stage => stage.Stage)))}";

    private static string Summary(RunRecord run)
    {
        var checks = run.Stages.SelectMany(stage => stage.Checks).ToList();
        var verdict = run.Outcome == Outcomes.Holds ? "<span class=\"holds\">Every check holds.</span>"
            : run.Reason is { } reason ? $"<span class=\"fails\">Incomplete: {Text(reason)}</span>"
            : $"<span class=\"fails\">{checks.Count(check => check.Holds == true)} of {checks.Count} checks hold.</span>";
        var changed = run.Changed.Count > 0 ? " The run was changed on the command line: it is not the published one." : "";
        var emulated = run.Stages.FirstOrDefault(stage => stage.Environment.Latency.Count > 0) is { } stage ? $" Rates and durations depend on emulated latency ({Text(stage.Environment.Name)})." : "";
        return $"{verdict}{changed}{emulated} <span class=\"muted\">{run.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm} UTC</span>";
    }

    private static string StageSection(RunRecord run, StageRecord stage) => $"""
        <h2>Stage {Text(stage.Stage)}: {Text(stage.Title)}</h2>
        <p>{Text(stage.Question)}{(stage.HalfOf is { } whole ? $" <span class=\"muted\">The first half of {Text(whole)}.</span>" : "")}{(stage.Reason is { } reason ? $" <span class=\"fails\">{Text(stage.Outcome)}: {Text(reason)}</span>" : "")}</p>
        {Checks(stage)}
        {string.Concat(stage.Notes.Select(note => $"<p class=\"muted\">{Text(note)}</p>"))}
        {string.Concat(RunCharts.Of(stage).Select(SvgChart.Render))}
        <details><summary>Figures, knobs, load</summary>
        {Table(["figure", "measured", "predicted", "meaning"], stage.Figures.Select(figure => Row(Cell(figure.Key), Number(figure.Value.Value, figure.Value.Unit), Number(figure.Value.Predicted, figure.Value.Unit), Cell(figure.Value.Meaning))))}
        <p class="muted">Knobs as applied{(run.K == 1 ? "" : Invariant($": durations and stocks are a {run.K:0.##}th of the stage's"))}. What is not listed has the service's own default.</p>
        {Table(["knob", "value", ""], stage.Knobs.Select(knob => Row(Cell(knob.Key), Cell(knob.Value), Cell(run.Changed.ContainsKey(knob.Key) ? "set on the command line" : ""))))}
        <p>{Text(LoadOf(stage))}</p>
        </details>

        """;

    private static string Checks(StageRecord stage) => Table(
        ["", "check", "article", "predicted", "measured", "band", "verdict"],
        stage.Checks.Select(check => Row(
            Cell(check.Id), $"<td>{Text(check.Claim)}{(check.Holds == false ? $"<br><span class=\"muted\">If not: {Text(check.Why)}.</span>" : "")}</td>", Cell(check.Article),
            Number(check.Predicted, check.Unit), Number(check.Measured, check.Unit), Cell(check.Band), $"<td class=\"{(check.Holds is null ? "muted" : check.Verdict)}\">{Text(check.Verdict)}</td>")));

    private static string LoadOf(StageRecord stage) => stage.Load is { } load
        ? Invariant($"Load by {load.Driver}: {load.Sent} requests, {load.Accepted} accepted, {load.ServerErrors + load.Failed} failed; answers p50 {load.P50:0.0} ms, p95 {load.P95:0.0} ms, p99 {load.P99:0.0} ms.")
        : "";

    private static string Conditions(RunRecord run) => Table(["", ""],
    [
        Row(Cell("command"), $"<td><code>{Text(run.Command)}</code></td>"),
        .. run.Stages.Select(stage => stage.Environment).DistinctBy(environment => environment.Name).Select(environment => Row(Cell("emulated"), Cell(Emulated(environment)))),
        Row(Cell("machine"), Cell(Invariant($"{run.Machine.System}, {run.Machine.Architecture}, {run.Machine.Cores} cores, {run.Machine.Memory / 1073741824.0:0.#} GiB, {run.Machine.Runtime}"))),
        Row(Cell("versions"), Cell(string.Join("; ", new[] { run.Machine.Commit, run.Machine.Redis, run.Machine.K6 }.OfType<string>()))),
    ]);

    private static string Emulated(DeclaredEnvironment environment)
    {
        var latencies = string.Join(", ", environment.Latency.Select(it => Invariant($"{it.Key} {Math.Exp(it.Value.Mu):0} ms (mean {it.Value.Mean:0})")));
        return latencies.Length == 0 ? "nothing" : $"median latency: {latencies}. {environment.Source}";
    }

    private static string Table(IEnumerable<string> head, IEnumerable<string> rows) =>
        $"<div class=\"scroll\"><table><thead><tr>{string.Concat(head.Select(title => $"<th>{Text(title)}</th>"))}</tr></thead><tbody>\n{string.Join('\n', rows)}\n</tbody></table></div>";

    private static string Row(params IEnumerable<string> cells) => $"<tr>{string.Concat(cells)}</tr>";

    private static string Cell(string text) => $"<td>{Text(text)}</td>";

    private static string Number(double? value, string unit) => $"<td class=\"number\">{(value is { } number ? NumberText.Of(number) + unit : "")}</td>";

    private static string Text(string text) => WebUtility.HtmlEncode(text);

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
