using System.Text.Json.Serialization;
using DroneDelivery.Lab.Measurement;

namespace DroneDelivery.Lab.Runs;

/// <summary>What differs between two runs of the same stages.</summary>
/// <param name="Knobs">Stage, knob and its value in either run; empty where the service's own default was used.</param>
/// <param name="Figures">Those that are further apart than noise explains.</param>
/// <param name="Same">How many figures were compared and are not.</param>
internal sealed record Comparison(IReadOnlyList<KnobDifference> Knobs, IReadOnlyList<FigureDifference> Figures, int Same)
{
    /// <exception cref="BadInputException">No stage is in both.</exception>
    public static Comparison Of(RunRecord first, RunRecord second)
    {
        var pairs = Pairs(first, second);
        if (pairs.Count == 0)
            throw new BadInputException($"The runs have no stage in common: {Ids(first)} against {Ids(second)}.");
        var figures = pairs.SelectMany(pair => FiguresOf(pair.First, pair.Second)).ToList();
        var apart = figures.Where(figure => figure.IsBeyondNoise).ToList();
        return new([.. pairs.SelectMany(pair => KnobsOf(pair.First, pair.Second))], apart, figures.Count - apart.Count);
    }

    /// <summary>The stages that are in both.</summary>
    public static IReadOnlyList<(StageRecord First, StageRecord Second)> Pairs(RunRecord first, RunRecord second) =>
        [.. first.Stages.Join(second.Stages, stage => stage.Stage, stage => stage.Stage, (a, b) => (a, b))];

    private static IEnumerable<KnobDifference> KnobsOf(StageRecord first, StageRecord second) =>
        from knob in first.Knobs.Keys.Union(second.Knobs.Keys).Order()
        let values = (First: first.Knobs.GetValueOrDefault(knob, ""), Second: second.Knobs.GetValueOrDefault(knob, ""))
        where values.First != values.Second
        select new KnobDifference(first.Stage, knob, values.First, values.Second);

    private static IEnumerable<FigureDifference> FiguresOf(StageRecord first, StageRecord second) =>
        from figure in FigureTable.All
        let values = (First: first.Figures.GetValueOrDefault(figure.Name)?.Value, Second: second.Figures.GetValueOrDefault(figure.Name)?.Value)
        where values.First is { } a && values.Second is { } b && double.IsFinite(a) && double.IsFinite(b)
        select new FigureDifference(first.Stage, figure.Name, figure.Unit, values.First!.Value, values.Second!.Value, figure.Noise);

    private static string Ids(RunRecord run) => string.Join(", ", run.Stages.Select(stage => stage.Stage));
}

internal sealed record KnobDifference(string Stage, string Knob, string First, string Second);

/// <param name="Noise">Share by which two equal runs may differ.</param>
internal sealed record FigureDifference(string Stage, string Figure, string Unit, double First, double Second, double Noise)
{
    // Small counts differ by chance however equal the runs are: one more or less is no share of anything.
    private const double Chance = 2;

    /// <summary>Of the first; null where that is nothing.</summary>
    [JsonIgnore]
    public double? Share => First == 0 ? null : Second / First - 1;

    public bool IsBeyondNoise => Math.Abs(Second - First) > Math.Max(Noise * Math.Abs(First), Unit.Length == 0 && First == Math.Floor(First) ? Chance * Math.Sqrt(Math.Abs(First)) : 0);
}
