using System.Text.Json;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles;

/// <summary>Experiments that ran together, as stored in <c>run.json</c>: a lab run without stages.</summary>
internal sealed record ExperimentRun(RunRecord Run, IReadOnlyList<ExperimentRecord> Experiments)
{
    public static ExperimentRun Begin(
        bool isFull,
        IReadOnlyDictionary<string, double> set,
        DateTimeOffset startedAt,
        string command,
        MachineRecord machine
    )
    {
        var run = new RunRecord(
            RunRecord.CurrentSchema,
            Outcomes.Incomplete,
            Reason: null,
            startedAt,
            command,
            isFull ? 1 : RunOptions.Quick,
            Seed: 1,
            machine,
            Calibration: null,
            Telemetry: null,
            set.ToDictionary(knob => knob.Key, knob => $"{knob.Value}"),
            Stages: []
        );
        return new(run, []);
    }

    /// <param name="reason">The reason why the run was interrupted; <c>null</c> if it wasn't.</param>
    public ExperimentRun With(ExperimentRecord played, string? reason)
    {
        IReadOnlyList<ExperimentRecord> all = [.. Experiments, played];
        var outcome = Outcomes.Worst(all.Select(it => it.Outcome));
        return new(Run with { Outcome = outcome, Reason = reason }, all);
    }

    public string ToJson()
    {
        var json = JsonSerializer.SerializeToNode(Run, RunRecord.Options)!;
        json["experiments"] = JsonSerializer.SerializeToNode(Experiments, RunRecord.Options);
        return json.ToJsonString(RunRecord.Options);
    }
}

/// <summary>The record of an experiment: its variants and the results of its checks.</summary>
/// <param name="Outcome"><c>holds</c>, <c>fails</c>, or <c>incomplete</c>.</param>
/// <param name="LeftOut">Variants that this machine can't run, whose checks are skipped.</param>
internal sealed record ExperimentRecord(
    string Name,
    string Outcome,
    IReadOnlyList<VariantRecord> Variants,
    IReadOnlyList<CheckRecord> Checks,
    IReadOnlyList<LeftOut> LeftOut
)
{
    public static ExperimentRecord Of(
        Experiment experiment,
        IReadOnlyList<VariantRecord> variants,
        IReadOnlyList<LeftOut> leftOut,
        bool isWhole
    )
    {
        var checks = Judge(experiment, variants);
        var played = checks.Any(check => check.Holds == false) ? Outcomes.Fails : Outcomes.Holds;
        return new(experiment.Name, isWhole ? played : Outcomes.Incomplete, variants, checks, leftOut);
    }

    public static IReadOnlyList<CheckRecord> Judge(Experiment experiment, IReadOnlyList<VariantRecord> variants)
    {
        var figures = variants.SelectMany(variant => variant.Exhibits.Figures).ToDictionary();
        return [.. experiment.Checks.Select(Judge)];

        CheckRecord Judge(Check check)
        {
            var measured = check.RelativeTo is { } other ? Known(check.Figure) / Known(other) : Known(check.Figure);
            var unit = check.RelativeTo is null ? experiment.FigureOf(check.Figure).Unit : "";
            return CheckRecord.Of(check, measured, unit, check.Band) with { RelativeTo = null };
        }

        double? Known(string figure) => figures.TryGetValue(figure, out var value) ? value : null;
    }
}

internal sealed record VariantRecord(
    string Name,
    Arm Arm,
    string Title,
    IReadOnlyDictionary<string, double> Knobs,
    Exhibits Exhibits
);

internal sealed record LeftOut(string Variant, string Reason);
