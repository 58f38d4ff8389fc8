using System.Globalization;
using System.Net;
using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Measurement;

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
        .scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; }
        th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        """;

    public static string Render(RunRecord run) => $"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Stage {Text(run.Stage)}: {Text(run.Title)}</title>
        <style>
        {Style}
        {ChartStyle.Css}
        </style>
        </head>
        <body>
        <h1>Stage {Text(run.Stage)}: {Text(run.Title)}</h1>
        <p>{Summary(run)}</p>
        {string.Concat(RunCharts.Of(run).Select(SvgChart.Render))}
        <h2>Verdict</h2>
        {Checks(run)}
        <h2>Figures</h2>
        {Table(["figure", "measured", "predicted", "meaning"], run.Figures.Select(figure => Row(Cell(figure.Key), Number(figure.Value.Value, figure.Value.Unit), Number(figure.Value.Predicted, figure.Value.Unit), Cell(figure.Value.Meaning))))}
        <h2>Knobs</h2>
        <p class="muted">As applied{(run.K == 1 ? "" : Invariant($": durations and stocks are a {run.K:0.##}th of the stage's"))}. What is not listed has the service's own default.</p>
        {Table(["knob", "value", ""], run.Knobs.Select(knob => Row(Cell(knob.Key), Cell(knob.Value), Cell(run.Changed.ContainsKey(knob.Key) ? "set on the command line" : ""))))}
        <h2>Conditions</h2>
        {Conditions(run)}
        </body>
        </html>

        """;

    private static string Summary(RunRecord run)
    {
        var held = run.Checks.Count(check => check.Holds);
        var verdict = run.Outcome == RunRecord.Holds ? "<span class=\"holds\">Every check holds.</span>" : $"<span class=\"fails\">{held} of {run.Checks.Count} checks hold.</span>";
        var changed = run.Changed.Count > 0 ? " The run was changed on the command line: it is not the published stage." : "";
        var emulated = run.Environment.Latency.Count > 0 ? $" Rates and durations depend on emulated latency ({Text(run.Environment.Name)})." : "";
        return $"{verdict}{changed}{emulated} <span class=\"muted\">{run.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm} UTC</span>";
    }

    private static string Checks(RunRecord run) => Table(
        ["", "check", "article", "predicted", "measured", "band", "verdict"],
        run.Checks.Select(check =>
        {
            var unit = FigureTable.Find(check.Figure).Unit;
            return Row(
                Cell(check.Id), $"<td>{Text(check.Claim)}{(check.Holds ? "" : $"<br><span class=\"muted\">If not: {Text(check.Why)}.</span>")}</td>", Cell(check.Article),
                Number(check.Predicted, unit), Number(check.Measured, unit), Cell(check.Band), check.Holds ? "<td class=\"holds\">holds</td>" : "<td class=\"fails\">fails</td>");
        }));

    private static string Conditions(RunRecord run)
    {
        var latencies = string.Join(", ", run.Environment.Latency.Select(it => Invariant($"{it.Key} {Math.Exp(it.Value.Mu):0} ms (mean {it.Value.Mean:0})")));
        return Table(["", ""],
        [
            Row(Cell("command"), $"<td><code>{Text(run.Command)}</code></td>"),
            Row(Cell("emulated"), Cell(latencies.Length == 0 ? "nothing" : $"median latency: {latencies}. {run.Environment.Source}")),
            Row(Cell("load"), Cell(run.Load is { } load ? Invariant($"{load.Driver}: {load.Sent} requests, {load.Accepted} accepted, {load.ServerErrors + load.Failed} failed; answers p50 {load.P50:0.0} ms, p95 {load.P95:0.0} ms, p99 {load.P99:0.0} ms") : "")),
            Row(Cell("machine"), Cell(Invariant($"{run.Machine.System}, {run.Machine.Architecture}, {run.Machine.Cores} cores, {run.Machine.Memory / 1073741824.0:0.#} GiB, {run.Machine.Runtime}"))),
            Row(Cell("versions"), Cell(string.Join("; ", new[] { run.Machine.Commit, run.Machine.Redis, run.Machine.K6 }.OfType<string>()))),
        ]);
    }

    private static string Table(IEnumerable<string> head, IEnumerable<string> rows) =>
        $"<div class=\"scroll\"><table><thead><tr>{string.Concat(head.Select(title => $"<th>{Text(title)}</th>"))}</tr></thead><tbody>\n{string.Join('\n', rows)}\n</tbody></table></div>";

    private static string Row(params IEnumerable<string> cells) => $"<tr>{string.Concat(cells)}</tr>";

    private static string Cell(string text) => $"<td>{Text(text)}</td>";

    private static string Number(double? value, string unit) => $"<td class=\"number\">{(value is { } number ? NumberText.Of(number) + unit : "")}</td>";

    private static string Text(string text) => WebUtility.HtmlEncode(text);

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
