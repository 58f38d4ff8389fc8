using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>One experiment of <see cref="RunRecord"/>: its variants are played as a run's stages are, and judged together.</summary>
/// <param name="Outcome">holds, fails or incomplete.</param>
/// <param name="LeftOut">Variants that this machine cannot play; their checks are not judged.</param>
internal sealed record ExperimentRecord(
    string Name,
    string Outcome,
    IReadOnlyList<VariantRecord> Variants,
    IReadOnlyList<CheckRecord> Checks,
    IReadOnlyList<LeftOut> LeftOut
)
{
    /// <param name="isWhole">Whether it came to its end.</param>
    public static ExperimentRecord Of(
        Experiment experiment,
        IReadOnlyList<VariantRecord> variants,
        IReadOnlyList<LeftOut> leftOut,
        bool isWhole
    )
    {
        var checks = Judge(experiment, variants);
        var outcome =
            !isWhole ? Outcomes.Incomplete
            : checks.Any(check => check.Holds == false) ? Outcomes.Fails
            : Outcomes.Holds;
        return new(experiment.Name, outcome, variants, checks, leftOut);
    }

    public static IReadOnlyList<CheckRecord> Judge(Experiment experiment, IReadOnlyList<VariantRecord> variants)
    {
        var figures = variants
            .SelectMany(variant => variant.Exhibits.Figures)
            .ToDictionary(figure => figure.Key, figure => figure.Value);
        return [.. experiment.Checks.Select(Judge)];

        CheckRecord Judge(Check check)
        {
            var measured = check.RelativeTo is { } other ? Known(check.Figure) / Known(other) : Known(check.Figure);
            var unit = check.RelativeTo is null ? experiment.FigureOf(check.Figure).Unit : "";
            return CheckRecord.Of(new Verdict(check, Predicted: null, measured, check.Band), unit) with
            {
                RelativeTo = null,
            };
        }

        double? Known(string figure) => figures.TryGetValue(figure, out var value) ? value : null;
    }

    /// <summary>In words, what is not judged and why; empty where all was played.</summary>
    [JsonIgnore]
    public string SaysLeftOut => string.Concat(LeftOut.Select(it => $" {it.Variant} was left out: {it.Reason}"));
}

internal sealed record VariantRecord(
    string Name,
    Arm Arm,
    string Title,
    IReadOnlyDictionary<string, double> Knobs,
    Exhibits Exhibits
);

internal sealed record LeftOut(string Variant, string Reason);
