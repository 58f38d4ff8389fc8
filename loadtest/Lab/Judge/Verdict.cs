using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>What came of one check.</summary>
/// <param name="Predicted">What the model says; null where it says nothing.</param>
/// <param name="Value">The figure of this run; null: it could not be known, or is relative to a stage that was not played.</param>
/// <param name="Band">Where it had to be.</param>
internal sealed record Verdict(Check Check, double? Predicted, double? Value, Band Band)
{
    /// <summary>Null: not judged.</summary>
    public bool? Holds => Value is { } value ? Band.Contains(value) : null;

    /// <summary>Judges a stage by its checks.</summary>
    /// <param name="figures">Stage → figure → value, of all stages that were played.</param>
    public static IReadOnlyList<Verdict> Of(
        Stage stage, double k, IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> figures) =>
        [.. stage.Checks.Select(check => new Verdict(
            check,
            Relate(check, stage.Prediction(check.Figure, k), other => Stage.Load(other).Prediction(check.Figure, k)),
            Relate(check, FigureOf(figures, stage.Id, check), other => FigureOf(figures, other, check)),
            k == 1 && check.BandFull is { } full ? full : check.Band))];

    private static double? FigureOf(IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> figures, string stage, Check check) =>
        figures.TryGetValue(stage, out var all) && all.TryGetValue(FigureTable.Find(check.Figure).Name, out var value) ? value : null;

    private static double? Relate(Check check, double? own, Func<string, double?> ofOther) =>
        check.RelativeTo is { } other ? own / ofOther(other) : own;
}
