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
        let values = (
            First: first.Figures.GetValueOrDefault(figure.Name)?.Value,
            Second: second.Figures.GetValueOrDefault(figure.Name)?.Value)
        where values.First is { } a && values.Second is { } b && double.IsFinite(a) && double.IsFinite(b)
        select FigureDifference.Of(first.Stage, figure, values.First!.Value, values.Second!.Value);

    private static string Ids(RunRecord run) => string.Join(", ", run.Stages.Select(stage => stage.Stage));
}

internal sealed record KnobDifference(string Stage, string Knob, string First, string Second);

/// <param name="Noise">Share by which two equal runs may differ, of the mean of both.</param>
/// <param name="Floor">What they may differ by however small both are, in the figure's unit.</param>
internal sealed record FigureDifference(string Stage, string Figure, string Unit, double First, double Second, double Noise, double Floor)
{
    public static FigureDifference Of(string stage, Figure figure, double first, double second) =>
        new(stage, figure.Name, figure.Unit, first, second, figure.Noise, figure.Floor(first, second));

    /// <summary>Of the first; null where that is nothing.</summary>
    [JsonIgnore]
    public double? Share => First == 0 ? null : Second / First - 1;

    /// <summary>What noise may be here, in the figure's unit: the same whichever of the two runs is the first.</summary>
    [JsonIgnore]
    public double Allowed => Math.Max(Noise * (Math.Abs(First) + Math.Abs(Second)) / 2, Floor);

    public bool IsBeyondNoise => Math.Abs(Second - First) > Allowed;

    /// <summary>As people write it.</summary>
    [JsonIgnore]
    public string NoiseText => Allowed > Floor ? $"±{Noise:0 %}" : $"±{NumberText.Of(Floor)}{Unit}";
}
