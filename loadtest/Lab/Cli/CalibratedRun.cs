using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>An environment fitted to what a run of the lab measured.</summary>
internal static class CalibratedRun
{
    private const string Busiest = "node.busiest";

    private static readonly string[] ShapeOfNodes = ["nodes.count", "nodes.vCpu", "nodes.cpuCost"];

    /// <param name="stage">Null: the one whose nodes were least busy.</param>
    /// <param name="otherwise">Where what is not measured comes from; null: what the stage emulated.</param>
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
                $"The telemetry of {run} does not say when stage {record.Stage} was played."
            );
        return CalibratedEnvironment.Of(
            telemetry,
            times,
            otherwise is null ? PlayedIn(record) : DeclaredEnvironment.Load(otherwise),
            name,
            $"stage {record.Stage} of {Path.GetFileName(folder)}",
            cancellationToken
        );
    }

    /// <summary>What was emulated, with the nodes as the knobs of the stage made them.</summary>
    internal static DeclaredEnvironment PlayedIn(StageRecord record)
    {
        var nodes = KnobSet.Parse(
            record.Knobs.Where(knob => ShapeOfNodes.Contains(knob.Key)).Select(knob => $"{knob.Key}={knob.Value}")
        );
        return record.Environment with { Nodes = record.Environment.Nodes?.With(nodes) };
    }

    /// <summary>The stage of a run that says most about its environment.</summary>
    public static StageRecord StageOf(RunRecord run, string? id, string name)
    {
        var played = run.Stages.Where(stage => stage.HalfOf is null && stage.Figures.Count > 0).ToList();
        if (id is not null)
            return Nearest.Named($"a stage that {name} has played", id, played, stage => stage.Stage);
        return played.MinBy(stage => stage.Figures.GetValueOrDefault(Busiest)?.Value ?? double.MaxValue)
            ?? throw new BadInputException($"{name} has no stage that came to its end.");
    }
}
