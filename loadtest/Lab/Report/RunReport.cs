using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <summary>A run in one self-contained HTML file.</summary>
internal static class RunReport
{
    public static void Keep(string folder, RunRecord run, RunTelemetry? telemetry)
    {
        RunFolder.Write(folder, run);
        Write(folder, run, telemetry);
    }

    public static string Write(string folder, RunRecord run, RunTelemetry? telemetry) =>
        RunFolder.WritePage(folder, RunFolder.Report, Render(run, telemetry));

    public static string Render(RunRecord run, RunTelemetry? telemetry)
    {
        var parts = run.Stages.ToDictionary(
            stage => stage.Stage,
            stage => telemetry is null ? null : StageTelemetry.Of(telemetry, stage)
        );
        var summary = new SummaryPage(run, stage => parts[stage.Stage]).Render();
        // Stages are independent, so they are rendered in parallel.
        var stages = run
            .Stages.AsParallel()
            .AsOrdered()
            .Select(
                (stage, i) => new StagePage(run, stage, i == 0 ? null : run.Stages[i - 1], parts[stage.Stage]).Render()
            );
        IEnumerable<(string Id, string Name)> pages =
        [
            ("summary", "Summary"),
            .. run.Stages.Select(stage => ($"stage-{stage.Stage}", NameOf(stage))),
            ("conditions", "Conditions"),
        ];
        var all = Html.Of($"{summary}{stages.ToList()}{ConditionsPage.Render(run)}");
        return Page.Render(SummaryPage.Title(run), pages, all).Markup;
    }

    private static string NameOf(StageRecord stage) =>
        stage.Stage.Contains('-', StringComparison.Ordinal) ? stage.Stage : $"{stage.Stage} {stage.Title}";
}

/// <summary>The conditions of the measurement.</summary>
internal static class ConditionsPage
{
    public static Html Render(RunRecord run) =>
        Page.Section(
            "conditions",
            "How to repeat it",
            "Conditions",
            HtmlTable.Of("Conditions", ["", ""], Rows(run).Select(Cells))
        );

    private static IEnumerable<(string Name, Html Text)> Rows(RunRecord run)
    {
        yield return ("command", Html.Of($"<code>{run.Command}</code>"));
        foreach (
            var environment in run.Stages.Select(stage => stage.Environment).DistinctBy(environment => environment.Name)
        )
        {
            yield return ("emulated", Html.Of($"{Emulated(environment)}"));
        }

        if (run.Calibration is { } calibration)
            yield return ("calibration", Html.Of($"{Calibrated(calibration)}"));
        var machine = run.Machine;
        var gibibytes = machine.Memory / 1073741824.0;
        yield return (
            "machine",
            Html.Of(
                $"{machine.System}, {machine.Architecture}, {machine.Cores} cores, {gibibytes:0.#} GiB, {machine.Runtime}"
            )
        );
        if (run.Telemetry?.FileGap is { } gap)
            yield return ("telemetry", Html.Of($"{gap}"));
        yield return (
            "versions",
            Html.Of($"{string.Join("; ", new[] { machine.Commit, machine.Redis, machine.K6 }.OfType<string>())}")
        );
    }

    private static IEnumerable<Html> Cells((string Name, Html Text) row) =>
        [Html.Of($"<th scope=\"row\">{row.Name}</th>"), Html.Of($"<td>{row.Text}</td>")];

    private static string Calibrated(Calibration calibration) =>
        calibration.WhyVoid
        ?? "the virtual nodes, saturated before the run, reached "
            + $"{calibration.Measured:0.0} of {calibration.Expected:0.0} deliveries/s; "
            + $"responses were {calibration.Lateness.Mean:0.0} ms late (p99 {calibration.Lateness.P99:0.0} ms); "
            + $"a hold costs {calibration.CpuMicrosecondsPerHold:0} µs of real CPU time";

    private static string Emulated(DeclaredEnvironment environment)
    {
        var latencies = string.Join(
            ", ",
            environment.Latency.Select(latency =>
                $"{latency.Key} {Math.Exp(latency.Value.Mu):0} ms (mean {latency.Value.Mean:0})"
            )
        );
        var nodes = environment.Nodes is { } declared ? $" Nodes of {declared.VCpu} vCPU." : "";
        return latencies.Length == 0 ? "nothing" : $"median latency: {latencies}.{nodes} {environment.Source}";
    }
}
