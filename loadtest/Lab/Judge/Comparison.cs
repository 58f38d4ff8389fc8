using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Judge;

/// <summary>What differs between two runs of the same stages, or between two sets of equal runs.</summary>
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
    /// <exception cref="BadInputException">Nothing is in all of them, or those of one side were played with different knobs.</exception>
    public static Comparison Of(IReadOnlyList<RunRecord> first, IReadOnlyList<RunRecord> second)
    {
        RequireAlike(first);
        RequireAlike(second);
        var (one, other) = (first[0], second[0]);
        var stages = Pairs(one, other);
        if (stages.Count == 0)
            throw new BadInputException($"They have no stage in common: {Names(one)} against {Names(other)}.");

        var figures = stages
            .SelectMany(pair => FiguresOf(Stages(first, pair.First.Stage), Stages(second, pair.First.Stage)))
            .ToLookup(figure => figure.IsBeyondNoise);
        return new(
            [.. stages.SelectMany(pair => KnobsOf(pair.First, pair.Second))],
            [.. figures[true]],
            figures[false].Count(),
            [.. CaveatsOf(one, other)]
        );
    }

    public static IReadOnlyList<(StageRecord First, StageRecord Second)> Pairs(RunRecord first, RunRecord second) =>
        [.. first.Stages.Join(second.Stages, stage => stage.Stage, stage => stage.Stage, (a, b) => (a, b))];

    private static void RequireAlike(IReadOnlyList<RunRecord> runs)
    {
        foreach (var other in runs.Skip(1))
        {
            var knobs = Pairs(runs[0], other).SelectMany(pair => KnobsOf(pair.First, pair.Second));
            if (knobs.FirstOrDefault() is { } knob)
            {
                throw new BadInputException(
                    $"{knob.Knob} of stage {knob.Stage} is {knob.First} in one and {knob.Second} "
                        + "in another: runs on the same side of a comparison have the same knobs."
                );
            }
        }
    }

    private static List<StageRecord> Stages(IReadOnlyList<RunRecord> runs, string id) =>
        [.. runs.SelectMany(run => run.Stages).Where(stage => stage.Stage == id)];

    private static IEnumerable<KnobDifference> KnobsOf(StageRecord first, StageRecord second) =>
        KnobDifference.Of(first.Stage, first.Knobs, second.Knobs);

    private static IEnumerable<FigureDifference> FiguresOf(
        IReadOnlyList<StageRecord> first,
        IReadOnlyList<StageRecord> second
    ) => FigureTable.All.Select(figure => FigureDifference.Of(figure, first, second)).OfType<FigureDifference>();

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

/// <param name="First">Of one run, or the mean of several; likewise the second.</param>
/// <param name="Noise">By how much two equal ones may differ, in the figure's unit: 95 of 100 do not differ by more.</param>
/// <param name="Basis">What says so.</param>
internal sealed record FigureDifference(
    string Stage,
    string Figure,
    string Meaning,
    string Unit,
    double First,
    double Second,
    double Noise,
    string Basis
)
{
    public const string MoreThanNoise = "more than noise",
        WithinNoise = "within noise";

    /// <returns>Null where one of the runs does not have the figure.</returns>
    public static FigureDifference? Of(
        Figure figure,
        IReadOnlyList<StageRecord> first,
        IReadOnlyList<StageRecord> second
    )
    {
        var (a, b) = (ValuesOf(figure, first), ValuesOf(figure, second));
        if (a.Count < first.Count || b.Count < second.Count)
            return null;
        var spread = Repeats.HalfWidthBetween(a, b);
        // Values that are alike by luck say nothing about noise.
        var (noise, basis) =
            figure.IsExact ? (0, "none is allowed")
            : spread > 0 ? (spread, $"spread of {a.Count} and {b.Count} runs")
            : (ChanceOf(figure, first[0], a.Mean, second[0], b.Mean), "chance of its events");
        return new(first[0].Stage, figure.Name, figure.Meaning, figure.Unit, a.Mean, b.Mean, noise, basis);
    }

    /// <summary>Of the first; null where that is nothing, or no number.</summary>
    [JsonIgnore]
    public double? Share => First == 0 || !double.IsFinite(Second / First) ? null : Second / First - 1;

    public bool IsBeyondNoise => !First.Equals(Second) && !(Math.Abs(Second - First) <= Noise);

    public string Verdict => IsBeyondNoise ? MoreThanNoise : WithinNoise;

    /// <summary>The difference and its interval, as people write them.</summary>
    [JsonIgnore]
    public string Interval =>
        $"{(Second >= First ? "+" : "−")}{NumberText.Of(Math.Abs(Second - First))} ± {NumberText.Of(Noise)}{Unit}";

    private static double ChanceOf(Figure figure, StageRecord first, double a, StageRecord second, double b)
    {
        var (one, other) = (Chance.DeviationOf(figure, first, a), Chance.DeviationOf(figure, second, b));
        return Chance.Deviations * Math.Sqrt(one * one + other * other);
    }

    private static Repeats ValuesOf(Figure figure, IReadOnlyList<StageRecord> stages) =>
        new([
            .. stages
                .Select(stage => stage.Figures.GetValueOrDefault(figure.Name)?.Value ?? double.NaN)
                .Where(double.IsFinite),
        ]);
}
