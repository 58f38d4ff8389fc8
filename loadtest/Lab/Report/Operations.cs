namespace DroneDelivery.Lab.Report;

/// <summary>Rate, errors and duration of each operation. A name leads to its slowest requests, a number of failures to those.</summary>
internal static class Operations
{
    /// <param name="times">What its links say of the time.</param>
    public static Html Render(StageTelemetry telemetry, IReadOnlyList<(string, string?)> times) => AnswerTable.Render(
        telemetry.Ask("operations"),
        "Rate, errors and duration of each operation",
        ["service", "operation", "per second#", "failed#", "p50 ms#", "p95 ms#", "p99 ms#"],
        row =>
        [
            HtmlTable.Cell(row.Text("cloud_RoleName")),
            HtmlTable.Link(row.Text("name"), Examples(row, times, ("order", "slowest"))),
            HtmlTable.Number(row.Value("calls") / telemetry.Seconds),
            row.Value("failed") is > 0 and var failed
                ? HtmlTable.Link(NumberText.Of(failed), Examples(row, times, ("outcome", "failed")), "number fails")
                : HtmlTable.Number(0),
            row.Number("percentile_duration_50"),
            row.Number("percentile_duration_95"),
            row.Number("percentile_duration_99"),
        ],
        isLong: true);

    private static string Examples(AnswerRow row, IReadOnlyList<(string, string?)> times, (string, string?) which) =>
        BrowsePage.Link("requests", [("service", row.Text("cloud_RoleName")), ("name", row.Text("name")), which, .. times]);
}
