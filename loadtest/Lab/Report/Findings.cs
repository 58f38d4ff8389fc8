using DroneDelivery.Lab.Judge;
using static DroneDelivery.Lab.Report.AnswerColumn;

namespace DroneDelivery.Lab.Report;

/// <summary>The telemetry of a stage apart from its rates: map, latest deliveries, operations, latencies, errors.</summary>
internal sealed class Findings(StageRecord stage, StageTelemetry telemetry)
{
    /// <summary>The article's table of test 3: p50 and p95 in milliseconds. Its first row is the queue.</summary>
    private static readonly Dictionary<string, (double P50, double P95)> Article = new()
    {
        ["delivery-requests"] = (86.67, 283.4),
        ["delivery"] = (37, 57),
        ["package"] = (12, 17),
        ["dronescheduler"] = (21, 41),
    };

    public Html Render() =>
        Html.Of($"{ApplicationMap.Titled(telemetry, $"map-{stage.Stage}")}<div class=\"tables\">{Tables()}</div>");

    private IEnumerable<Html> Tables() =>
        [
            Long(
                "Deliveries that took longest",
                "late-deliveries",
                Text("delivery", "delivery"),
                Text("operation", "operation_Id"),
                new("accepted", row => HtmlTable.Cell($"{row.Time("accepted"):HH:mm:ss.fff}")),
                Number("seconds", "seconds"),
                Number("handled", "attempts"),
                new("ended", row =>
                    HtmlTable.Cell(row.Text("resultCode"), row.Text("success") == "True" ? "" : "fails")
                )
            ),
            Operations.Render(telemetry),
            Block(
                "Call durations, compared with the article's",
                "latency-by-target",
                new("target", row => HtmlTable.Cell(TargetOf(row))),
                Number("p50 ms", "percentile_duration_50"),
                Number("p95 ms", "percentile_duration_95"),
                Published("p50", article => article.P50),
                Published("p95", article => article.P95),
                Number("calls", "calls")
            ),
            Block(
                "Workflow's Service Bus operations",
                "service-bus-calls",
                Text("call", "name"),
                Number("calls", "calls"),
                Number("failed", "failed", "fails"),
                Number("mean ms", "avg_duration")
            ),
            Long(
                "5xx responses by cause",
                "errors-by-cause",
                Text("service", "cloud_RoleName"),
                Text("operation", "name"),
                Text("result", "resultCode"),
                Text("cause", "cause"),
                Number("errors", "errors", "fails")
            ),
            Long(
                "Exceptions by type",
                "exceptions-by-type",
                Text("service", "cloud_RoleName"),
                Text("type", "type"),
                Text("example message", "innermostMessage"),
                Number("count", "count_", "fails")
            ),
            Block(
                "Dead-lettered messages by reason",
                "dead-letter-reasons",
                Text("reason", "reason"),
                Number("messages", "messages", "fails")
            ),
            Block(
                "Calls to Redis",
                "redis-calls",
                Text("service", "cloud_RoleName"),
                Text("command", "name"),
                Number("calls", "calls"),
                Number("failed", "failed", "fails"),
                Number("p50 ms", "percentile_duration_50"),
                Number("p95 ms", "percentile_duration_95")
            ),
        ];

    private static string TargetOf(AnswerRow row) => row.Text("target")[(row.Text("target").LastIndexOf('/') + 1)..];

    private static AnswerColumn Published(string name, Func<(double P50, double P95), double> value) =>
        new($"article {name}#", row =>
            HtmlTable.Number(
                Article.TryGetValue(TargetOf(row), out var article) ? value(article) : null,
                style: "muted"
            )
        );

    private Html Block(string title, string query, params IReadOnlyList<AnswerColumn> columns) =>
        ResultTable.Render(telemetry.Ask(query), title, isLong: false, columns);

    private Html Long(string title, string query, params IReadOnlyList<AnswerColumn> columns) =>
        ResultTable.Render(telemetry.Ask(query), title, isLong: true, columns);
}

internal static class Operations
{
    public static Html Render(StageTelemetry telemetry) =>
        ResultTable.Render(
            telemetry.Ask("operations"),
            "Rate, errors and duration of each operation",
            isLong: true,
            Text("service", "cloud_RoleName"),
            Text("operation", "name"),
            new("per second#", row => HtmlTable.Number(row.Value("calls") / telemetry.Seconds)),
            Number("failed", "failed", "fails"),
            Number("p50 ms", "percentile_duration_50"),
            Number("p95 ms", "percentile_duration_95"),
            Number("p99 ms", "percentile_duration_99")
        );
}
