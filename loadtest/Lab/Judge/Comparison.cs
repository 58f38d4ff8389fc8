using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>What differs between two runs of the same stages.</summary>
/// <param name="Figures">Those that are further apart than noise explains.</param>
/// <param name="Same">How many figures were compared and are not.</param>
/// <param name="Caveats">What makes the two hard to compare, each a sentence.</param>
internal sealed record Comparison(
    IReadOnlyList<KnobDifference> Knobs,
    IReadOnlyList<FigureDifference> Figures,
    int Same,
    IReadOnlyList<string> Caveats
)
{
    /// <exception cref="BadInputException">No stage is in both.</exception>
    public static Comparison Of(RunRecord first, RunRecord second)
    {
        var stages = Pairs(first, second);
        if (stages.Count == 0)
            throw new BadInputException($"They have no stage in common: {Names(first)} against {Names(second)}.");

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
            yield return "The runs are of different length: only rates can be compared.";
        foreach (var run in new[] { first, second }.Where(run => run.Outcome == Outcomes.Incomplete))
            yield return $"The run of {run.StartedAt.ToLocalTime():yyyy-MM-dd HH:mm:ss} is incomplete.";
    }

    private static string Names(RunRecord run) => string.Join(", ", run.Stages.Select(stage => stage.Stage));
}

/// <param name="First">Empty where the service's own default was used; likewise the second.</param>
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

/// <param name="Noise">By how much two equal runs may differ, in the figure's unit.</param>
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
    /// <returns>Null where one of the runs does not have the figure.</returns>
    public static FigureDifference? Of(Figure figure, StageRecord first, StageRecord second)
    {
        var (a, b) = (ValueOf(figure, first), ValueOf(figure, second));
        return double.IsFinite(a) && double.IsFinite(b)
            ? new(first.Stage, figure.Name, figure.Meaning, figure.Unit, a, b, figure.NoiseOf(a, b))
            : null;
    }

    /// <summary>Of the first; null where that is nothing, or no number.</summary>
    [JsonIgnore]
    public double? Share => First == 0 || !double.IsFinite(Second / First) ? null : Second / First - 1;

    public bool IsBeyondNoise => !First.Equals(Second) && !(Math.Abs(Second - First) <= Noise);

    private static double ValueOf(Figure figure, StageRecord stage) =>
        stage.Figures.GetValueOrDefault(figure.Name)?.Value ?? double.NaN;
}
