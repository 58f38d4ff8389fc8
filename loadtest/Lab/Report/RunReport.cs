using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>A run as one HTML file that needs nothing else: no font, no script of others, no network.</summary>
internal static class RunReport
{
    /// <summary>Keeps a run with its report.</summary>
    /// <param name="telemetry">Null: it has none.</param>
    /// <exception cref="LabException">The disk is full, or the folder cannot be written.</exception>
    public static void Keep(string folder, RunRecord run, RunTelemetry? telemetry)
    {
        RunFolder.Write(folder, run);
        Write(folder, run, telemetry);
    }

    /// <inheritdoc cref="Keep"/>
    /// <returns>The file.</returns>
    public static string Write(string folder, RunRecord run, RunTelemetry? telemetry) =>
        RunFolder.WritePage(folder, "report.html", Render(run, telemetry));

    /// <param name="telemetry">Null: it kept none.</param>
    /// <param name="limits">Of what the page may ask the lab that serves it; null: it is for the disk, and contains a sample.</param>
    public static string Render(RunRecord run, RunTelemetry? telemetry, QueryLimits? limits = null)
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
            .. parts.Values.All(part => part is null) ? Array.Empty<(string, string)>() : [(BrowsePage.Id, "Browse")],
            .. limits is null ? Array.Empty<(string, string)>() : [(QueryPage.Id, "Query")],
            ("conditions", "Conditions"),
        ];
        var query = limits is null ? Html.Empty : QueryPage.Render("All that the run has kept", limits);
        var browse = Browse(run, parts, isServed: limits is not null);
        var all = Html.Of($"{summary}{stages.ToList()}{browse}{query}{ConditionsPage.Render(run)}");
        return limits is null
            ? Page.Render(SummaryPage.Title(run), pages, all, asks: false, "browse.css", "browse.js").Markup
            : Page.Render(SummaryPage.Title(run), pages, all, asks: true, Page.Asks).Markup;
    }

    /// <summary>Halves are in the stage whose half they are.</summary>
    private static Html Browse(RunRecord run, Dictionary<string, StageTelemetry?> parts, bool isServed)
    {
        var played = run.Stages
            .Where(stage => stage.HalfOf is null)
            .Select(stage => (stage.Stage, Telemetry: parts[stage.Stage]!))
            .Where(stage => stage.Telemetry is not null)
            .ToList();
        if (played.Count == 0)
            return Html.Empty;
        var times = played.Select(stage => ($"stage {stage.Stage}", stage.Telemetry.Times.Start, stage.Telemetry.Times.End));
        return isServed ? BrowsePage.OfServed(times) : BrowsePage.OfReport(SampleTraces.InTurn(
            played.AsParallel().AsOrdered().Select(stage => SampleTraces.Of(stage.Stage, stage.Telemetry))), times);
    }

    private static string NameOf(StageRecord stage) =>
        stage.Stage.Contains('-', StringComparison.Ordinal) ? stage.Stage : $"{stage.Stage} {stage.Title}";
}
