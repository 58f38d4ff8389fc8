using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>The differences between two runs of the same stages.</summary>
/// <param name="Figures">The metrics that differ by more than noise.</param>
/// <param name="Same">The number of metrics without such a difference.</param>
internal sealed record Comparison(
    IReadOnlyList<KnobDifference> Knobs,
    IReadOnlyList<FigureDifference> Figures,
    int Same,
    IReadOnlyList<string> Caveats
)
{
    public static Comparison Of(RunRecord first, RunRecord second)
    {
        var stages = Pairs(first, second);
        if (stages.Count == 0)
            throw new BadInputException($"The runs have no stage in common: {Names(first)} and {Names(second)}.");

        var figures = stages
            .SelectMany(pair => FigureTable.All.Select(figure => FigureDifference.Of(figure, pair.First, pair.Second)))
            .OfType<FigureDifference>()
            .ToLookup(figure => figure.IsBeyondNoise);
        return new(
            [.. stages.SelectMany(pair => KnobDifference.Of(pair.First.Stage, pair.First.Knobs, pair.Second.Knobs))],
            [.. figures[true]],
            figures[false].Count(),
            [.. CaveatsOf(first, second)]
        );
    }

    public static IReadOnlyList<(StageRecord First, StageRecord Second)> Pairs(RunRecord first, RunRecord second) =>
        [.. first.Stages.Join(second.Stages, stage => stage.Stage, stage => stage.Stage, (a, b) => (a, b))];

    private static IEnumerable<string> CaveatsOf(RunRecord first, RunRecord second)
    {
        if (first.K != second.K)
            yield return "The runs have different time scales: only rates are comparable.";
        foreach (var run in new[] { first, second }.Where(run => run.Outcome == Outcomes.Incomplete))
            yield return $"The run of {run.StartedAt.ToLocalTime():yyyy-MM-dd HH:mm:ss} is incomplete.";
    }

    private static string Names(RunRecord run) => string.Join(", ", run.Stages.Select(stage => stage.Stage));
}

/// <param name="First">Empty for the service's default; also the second.</param>
internal sealed record KnobDifference(string Stage, string Knob, string First, string Second)
{
    public static IEnumerable<KnobDifference> Of(
        string stage,
        IReadOnlyDictionary<string, string> first,
        IReadOnlyDictionary<string, string> second
    ) =>
        from knob in first.Keys.Union(second.Keys).Order()
        let values = (First: first.GetValueOrDefault(knob, ""), Second: second.GetValueOrDefault(knob, ""))
        where values.First != values.Second
        select new KnobDifference(stage, knob, values.First, values.Second);
}

/// <param name="Noise">The possible difference between two equal runs.</param>
internal sealed record FigureDifference(
    string Stage,
    string Figure,
    string Meaning,
    string Unit,
    double First,
    double Second,
    double Noise
)
{
    /// <returns><c>null</c> if one of the runs doesn't have the metric.</returns>
    public static FigureDifference? Of(Figure figure, StageRecord first, StageRecord second)
    {
        var (a, b) = (ValueOf(figure, first), ValueOf(figure, second));
        return double.IsFinite(a) && double.IsFinite(b)
            ? new(first.Stage, figure.Name, figure.Meaning, figure.Unit, a, b, figure.NoiseOf(a, b))
            : null;
    }

    /// <summary>The relative difference; <c>null</c> if unknown.</summary>
    [JsonIgnore]
    public double? Share => First == 0 || !double.IsFinite(Second / First) ? null : Second / First - 1;

    public bool IsBeyondNoise => !First.Equals(Second) && !(Math.Abs(Second - First) <= Noise);

    private static double ValueOf(Figure figure, StageRecord stage) =>
        stage.Figures.GetValueOrDefault(figure.Name)?.Value ?? double.NaN;
}
