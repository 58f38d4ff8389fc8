using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Measurement;

/// <summary>What came of one check.</summary>
/// <param name="Predicted">What the model says; null where it says nothing.</param>
/// <param name="Value">The figure of this run.</param>
/// <param name="Band">Where it had to be.</param>
internal sealed record Verdict(Check Check, double? Predicted, double Value, Band Band)
{
    public bool Holds => Band.Contains(Value);

    /// <summary>Judges a run by the checks of its stage.</summary>
    /// <param name="figures">Figure → value of this run.</param>
    public static IReadOnlyList<Verdict> Of(Stage stage, double k, IReadOnlyDictionary<string, double> figures) =>
        [.. stage.Checks.Select(check => new Verdict(
            check,
            stage.Predictions.GetValueOrDefault(check.Figure)?.For(k),
            figures[FigureTable.Find(check.Figure).Name],
            k == 1 && check.BandFull is { } full ? full : check.Band))];
}
