using System.Globalization;
using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Report;

/// <summary>What telemetry says about one stage beside its rates: map, latest deliveries, operations, latencies, errors.</summary>
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

    public Html Render() => Html.Of($"{Map()}<div class=\"tables\">{Tables()}</div>");

    private IEnumerable<Html> Tables() =>
    [
        Late(), Operations.Render(telemetry, Times), Latencies(), BusCalls(), Errors(), Exceptions(), DeadLetters(), Redis(),
    ];

    private Html Map() => ApplicationMap.Of(telemetry, $"map-{stage.Stage}") is { } map
        ? Html.Of($"<h3>Application map</h3>{SvgMap.Render(map, Source.Of(telemetry.Ask("application-map-edges")))}")
        : Html.Empty;

    private Html Late() => Block("Deliveries that took longest, and why", "late-deliveries",
        ["delivery", "accepted", "seconds#", "handled#", "ended"],
        row =>
        [
            HtmlTable.Link(row.Text("delivery") is { Length: > 0 } id ? id : row.Text("operation_Id"), LinkTo(row.Text("operation_Id"))),
            HtmlTable.Cell(row.Time("accepted").ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture)),
            row.Number("seconds"),
            row.Number("attempts"),
            HtmlTable.Cell(row.Text("resultCode"), row.Text("success") == "True" ? "" : "fails"),
        ],
        isLong: true);

    private string LinkTo(string operation) => BrowsePage.Link("deliveries", [("order", "slowest"), .. Times, ("operation", operation)]);

    private IReadOnlyList<(string, string?)> Times =>
        [("from", BrowsePage.TimeOf(telemetry.Times.Start)), ("to", BrowsePage.TimeOf(telemetry.Times.End))];

    private Html Latencies() => Block("Duration of calls, beside the article's", "latency-by-target",
        ["target", "p50 ms#", "p95 ms#", "article p50#", "article p95#", "calls#"], Latency);

    private static IEnumerable<Html> Latency(AnswerRow row)
    {
        var target = row.Text("target")[(row.Text("target").LastIndexOf('/') + 1)..];
        (double P50, double P95)? article = Article.TryGetValue(target, out var published) ? published : null;
        return
        [
            HtmlTable.Cell(target),
            row.Number("percentile_duration_50"),
            row.Number("percentile_duration_95"),
            HtmlTable.Number(article?.P50, style: "muted"),
            HtmlTable.Number(article?.P95, style: "muted"),
            row.Number("calls"),
        ];
    }

    private Html BusCalls() => Block(
        "What Workflow asks of the Service Bus", "service-bus-calls", ["call", "calls#", "failed#", "mean ms#"],
        row => [HtmlTable.Cell(row.Text("name")), row.Number("calls"), row.Number("failed", "fails"), row.Number("avg_duration")]);

    private Html Errors() => Block("Answers with 5xx, and why", "errors-by-cause", ["service", "operation", "result", "cause", "errors#"],
        row => [.. Texts(row, "cloud_RoleName", "name", "resultCode", "cause"), row.Number("errors", "fails")],
        isLong: true);

    private Html Exceptions() => Block("Exceptions by type", "exceptions-by-type", ["service", "type", "one of them says", "count#"],
        row => [.. Texts(row, "cloud_RoleName", "type", "innermostMessage"), row.Number("count_", "fails")],
        isLong: true);

    private Html DeadLetters() => Block("Dead-lettered messages, by who gave up", "dead-letter-reasons", ["reason", "messages#"],
        row => [HtmlTable.Cell(row.Text("reason")), row.Number("messages", "fails")]);

    private Html Redis() => Block("Calls to Redis", "redis-calls", ["service", "command", "calls#", "failed#", "p50 ms#", "p95 ms#"],
        row =>
        [
            .. Texts(row, "cloud_RoleName", "name"),
            row.Number("calls"),
            row.Number("failed", "fails"),
            row.Number("percentile_duration_50"),
            row.Number("percentile_duration_95"),
        ]);

    private static IEnumerable<Html> Texts(AnswerRow row, params string[] columns) =>
        columns.Select(column => HtmlTable.Cell(row.Text(column)));

    private Html Block(
        string title, string query, IReadOnlyList<string> head, Func<AnswerRow, IEnumerable<Html>> cells, bool isLong = false) =>
        AnswerTable.Render(telemetry.Ask(query), title, head, cells, isLong);
}
