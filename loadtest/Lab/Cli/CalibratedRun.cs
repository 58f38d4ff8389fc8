using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal static class CalibratedRun
{
    private const string Busiest = "node.busiest";

    private static readonly string[] ShapeOfNodes = ["nodes.count", "nodes.vCpu", "nodes.cpuCost"];

    /// <param name="stage"><c>null</c> for the one with the least busy nodes.</param>
    /// <param name="otherwise">The environment for values that weren't measured; <c>null</c> for the stage's.</param>
    public static async Task<CalibratedEnvironment> OfAsync(
        string run,
        string? stage,
        string? otherwise,
        string name,
        Action<string> notice,
        CancellationToken cancellationToken
    )
    {
        var folder = RunsOnDisk.Find(run);
        var record = StageOf(RunFolder.Read(folder), stage, run);
        var telemetry = await RunTelemetry.LoadAsync(folder, notice, cancellationToken);
        var times = telemetry.Stages().FirstOrDefault(times => times.Stage == record.Stage)
            ?? throw new BadInputException(
                $"The telemetry of {run} does not contain the times of stage {record.Stage}."
            );
        return CalibratedEnvironment.Of(
            telemetry,
            times,
            otherwise is null ? EnvironmentOf(record) : DeclaredEnvironment.Load(otherwise),
            name,
            $"stage {record.Stage} of {Path.GetFileName(folder)}",
            cancellationToken
        );
    }

    /// <summary>Returns the environment of a stage, with the nodes that its settings specify.</summary>
    internal static DeclaredEnvironment EnvironmentOf(StageRecord record)
    {
        var nodes = KnobSet.Parse(
            record.Knobs.Where(knob => ShapeOfNodes.Contains(knob.Key)).Select(knob => $"{knob.Key}={knob.Value}")
        );
        return record.Environment with { Nodes = record.Environment.Nodes?.With(nodes) };
    }

    /// <summary>Returns the stage that is most suitable for a calibration.</summary>
    public static StageRecord StageOf(RunRecord run, string? id, string name)
    {
        var played = run.Stages.Where(stage => stage.HalfOf is null && stage.Figures.Count > 0).ToList();
        if (id is not null)
            return Nearest.Named($"a stage of {name}", id, played, stage => stage.Stage);
        return played.MinBy(stage => stage.Figures.GetValueOrDefault(Busiest)?.Value ?? double.MaxValue)
            ?? throw new BadInputException($"{name} has no completed stage.");
    }
}
