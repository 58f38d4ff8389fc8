using DroneDelivery.Lab.Charts;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Report;

/// <summary>A run as one HTML file that needs nothing else: no font, no script of others, no network.</summary>
internal static class RunReport
{
    /// <param name="run">Its record.</param>
    /// <param name="telemetry">Null: it kept none.</param>
    public static string Render(RunRecord run, RunTelemetry? telemetry)
    {
        var parts = run.Stages.ToDictionary(stage => stage.Stage, stage => telemetry is null ? null : StageTelemetry.Of(telemetry, stage));
        var summary = new SummaryPage(run, stage => parts[stage.Stage]).Render();
        // Each stage asks for itself alone, so all cores can.
        var stages = run.Stages.AsParallel().AsOrdered().Select((stage, i) =>
            new StagePage(run, stage, i == 0 ? null : run.Stages[i - 1], parts[stage.Stage]).Render());
        IEnumerable<(string Id, string Name)> pages =
        [
            ("summary", "Summary"),
            .. run.Stages.Select(stage => ($"stage-{stage.Stage}", NameOf(stage))),
            ("conditions", "Conditions"),
        ];
        return Page.Render(SummaryPage.Title(run), pages, Html.Of($"{summary}{stages}{ConditionsPage.Render(run)}")).Markup;
    }

    private static string NameOf(StageRecord stage) =>
        stage.Stage.Contains('-', StringComparison.Ordinal) ? stage.Stage : $"{stage.Stage} {stage.Title}";
}
