using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Report;

/// <summary>What telemetry says about one stage beside its rates: map, transaction, latencies, errors.</summary>
internal sealed class Findings(StageRecord stage, StageTelemetry telemetry)
{
    /// <summary>The article's table of test 3: milliseconds, p50 and p95. The first row is its queue.</summary>
    private static readonly Dictionary<string, (double P50, double P95)> Article = new()
    {
        ["delivery-requests"] = (86.67, 283.4),
        ["delivery"] = (37, 57),
        ["package"] = (12, 17),
        ["dronescheduler"] = (21, 41),
    };

    public Html Render() => Html.Of($"{Map()}{EndToEnd()}<div class=\"tables\">{Latencies()}{BusCalls()}{Errors()}{Exceptions()}{DeadLetters()}{Redis()}</div>");

    private Html Map() => ApplicationMap.Of(telemetry, $"map-{stage.Stage}") is { } map
        ? Html.Of($"<h3>Application map</h3>{SvgMap.Render(map, Source.Of(telemetry.Ask("application-map-edges")))}")
        : Html.Empty;

    private Html EndToEnd()
    {
        var failing = Transaction.Of(telemetry.Ask("failing-transaction").Rows);
        var (transaction, query) = failing is null ? (Transaction.Of(telemetry.Ask("typical-transaction").Rows), "typical-transaction") : (failing, "failing-transaction");
        return transaction is null ? Html.Empty : Html.Of($"""
            <h3>{(failing is null ? "A typical transaction, end to end" : "A failing transaction, end to end")}</h3>
            <figure class="transaction"><p class="says">Operation <code>{transaction.Operation}</code>. Open a line to see more of it.</p>{Waterfall.Render(transaction, $"transaction-{stage.Stage}")}
            {Source.Of(telemetry.Ask(query))}</figure>

            """);
    }

    private Html Latencies() => Block("Duration of calls, beside the article's", "latency-by-target", ["target", "p50 ms#", "p95 ms#", "article p50#", "article p95#", "calls#"], row =>
    {
        var target = row.Text("target")[(row.Text("target").LastIndexOf('/') + 1)..];
        (double P50, double P95)? article = Article.TryGetValue(target, out var published) ? published : null;
        return [HtmlTable.Cell(target), row.Number("percentile_duration_50"), row.Number("percentile_duration_95"), HtmlTable.Number(article?.P50, style: "muted"), HtmlTable.Number(article?.P95, style: "muted"), row.Number("calls")];
    });

    private Html BusCalls() => Block("What Workflow asks of the Service Bus", "service-bus-calls", ["call", "calls#", "failed#", "mean ms#"],
        row => [HtmlTable.Cell(row.Text("name")), row.Number("calls"), row.Number("failed", "fails"), row.Number("avg_duration")]);

    private Html Errors() => Block("Answers with 5xx, and why", "errors-by-cause", ["service", "operation", "result", "cause", "errors#"],
        row => [HtmlTable.Cell(row.Text("cloud_RoleName")), HtmlTable.Cell(row.Text("name")), HtmlTable.Cell(row.Text("resultCode")), HtmlTable.Cell(row.Text("cause")), row.Number("errors", "fails")], isLong: true);

    private Html Exceptions() => Block("Exceptions by type", "exceptions-by-type", ["service", "type", "one of them says", "count#"],
        row => [HtmlTable.Cell(row.Text("cloud_RoleName")), HtmlTable.Cell(row.Text("type")), HtmlTable.Cell(row.Text("innermostMessage")), row.Number("count_", "fails")], isLong: true);

    private Html DeadLetters() => Block("Dead-lettered messages, by who gave up", "dead-letter-reasons", ["reason", "messages#"],
        row => [HtmlTable.Cell(row.Text("reason")), row.Number("messages", "fails")]);

    private Html Redis() => Block("Calls to Redis", "redis-calls", ["service", "command", "calls#", "failed#", "p50 ms#", "p95 ms#"],
        row => [HtmlTable.Cell(row.Text("cloud_RoleName")), HtmlTable.Cell(row.Text("name")), row.Number("calls"), row.Number("failed", "fails"), row.Number("percentile_duration_50"), row.Number("percentile_duration_95")]);

    /// <summary>A table of an answer; nothing where it has no rows.</summary>
    /// <param name="isLong">Whether its texts need the whole width.</param>
    private Html Block(string title, string query, IReadOnlyList<string> head, Func<AnswerRow, IEnumerable<Html>> cells, bool isLong = false)
    {
        var answer = telemetry.Ask(query);
        return answer.Rows.Rows == 0 ? Html.Empty : Html.Of($"""
            <div class="block{(isLong ? " long" : "")}"><h3>{title}</h3>{HtmlTable.Of(title, head, Enumerable.Range(0, answer.Rows.Rows).Select(row => cells(new(answer.Rows, row))))}{Source.Of(answer)}</div>

            """);
    }
}
