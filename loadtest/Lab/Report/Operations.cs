using static DroneDelivery.Lab.Report.AnswerColumn;

namespace DroneDelivery.Lab.Report;

/// <summary>Rate, errors and duration of each operation. A name leads to its slowest requests, a number of failures to those.</summary>
internal static class Operations
{
    /// <param name="times">What its links say of the time.</param>
    public static Html Render(StageTelemetry telemetry, IReadOnlyList<(string, string?)> times) => AnswerTable.Render(
        telemetry.Ask("operations"),
        "Rate, errors and duration of each operation",
        isLong: true,
        Text("service", "cloud_RoleName"),
        new("operation", row => HtmlTable.Link(row.Text("name"), Examples(row, times, ("order", "slowest")))),
        new("per second#", row => HtmlTable.Number(row.Value("calls") / telemetry.Seconds)),
        new("failed#", row => row.Value("failed") is > 0 and var failed
            ? HtmlTable.Link(NumberText.Of(failed), Examples(row, times, ("outcome", "failed")), "number fails")
            : HtmlTable.Number(0)),
        Number("p50 ms", "percentile_duration_50"),
        Number("p95 ms", "percentile_duration_95"),
        Number("p99 ms", "percentile_duration_99"));

    private static string Examples(AnswerRow row, IReadOnlyList<(string, string?)> times, (string, string?) which) =>
        BrowsePage.Link("requests", [("service", row.Text("cloud_RoleName")), ("name", row.Text("name")), which, .. times]);
}
