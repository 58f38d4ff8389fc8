using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Judge;

/// <summary>What differs between two runs of the same stages, between two sets of equal runs, or between two experiments.</summary>
/// <param name="Figures">Those that are further apart than noise explains.</param>
/// <param name="Same">How many figures were compared and are not.</param>
/// <param name="Caveats">What makes the two hard to compare, each a sentence.</param>
internal sealed record Comparison(
    IReadOnlyList<KnobDifference> Knobs, IReadOnlyList<FigureDifference> Figures, int Same, IReadOnlyList<string> Caveats)
{
    public static Comparison Of(RunRecord first, RunRecord second) => Of([first], [second]);

    /// <exception cref="BadInputException">No stage is in all of them, or those of one side were played with different knobs.</exception>
    public static Comparison Of(IReadOnlyList<RunRecord> first, IReadOnlyList<RunRecord> second)
    {
        RequireAlike(first);
        RequireAlike(second);
        var pairs = Pairs(first[0], second[0]);
        if (pairs.Count == 0)
            throw new BadInputException($"The runs have no stage in common: {Ids(first[0])} against {Ids(second[0])}.");
        return Of(
            pairs.SelectMany(pair => KnobsOf(pair.First, pair.Second)),
            pairs.SelectMany(pair => FiguresOf(Stages(first, pair.First.Stage), Stages(second, pair.First.Stage))),
            first[0].K == second[0].K ? [] : ["The runs are of different length: only rates can be compared."]);
    }

    public static Comparison Of(IEnumerable<KnobDifference> knobs, IEnumerable<FigureDifference> figures, IEnumerable<string> caveats)
    {
        var all = figures.ToLookup(figure => figure.IsBeyondNoise);
        return new([.. knobs], [.. all[true]], all[false].Count(), [.. caveats]);
    }

    public static IReadOnlyList<(StageRecord First, StageRecord Second)> Pairs(RunRecord first, RunRecord second) =>
        [.. first.Stages.Join(second.Stages, stage => stage.Stage, stage => stage.Stage, (a, b) => (a, b))];

    private static void RequireAlike(IReadOnlyList<RunRecord> runs)
    {
        foreach (var other in runs.Skip(1))
        {
            if (Pairs(runs[0], other).SelectMany(pair => KnobsOf(pair.First, pair.Second)).FirstOrDefault() is { } knob)
            {
                throw new BadInputException(
                    $"{knob.Knob} of stage {knob.Stage} is {knob.First} in one and {knob.Second} in another: "
                        + "runs on the same side of a comparison have the same knobs.");
            }
        }
    }

    private static List<StageRecord> Stages(IReadOnlyList<RunRecord> runs, string id) =>
        [.. runs.SelectMany(run => run.Stages).Where(stage => stage.Stage == id)];

    private static IEnumerable<KnobDifference> KnobsOf(StageRecord first, StageRecord second) =>
        from knob in first.Knobs.Keys.Union(second.Knobs.Keys).Order()
        let values = (First: first.Knobs.GetValueOrDefault(knob, ""), Second: second.Knobs.GetValueOrDefault(knob, ""))
        where values.First != values.Second
        select new KnobDifference(first.Stage, knob, values.First, values.Second);

    private static IEnumerable<FigureDifference> FiguresOf(IReadOnlyList<StageRecord> first, IReadOnlyList<StageRecord> second) =>
        FigureTable.All.Select(figure => FigureDifference.Of(figure, first, second)).OfType<FigureDifference>();

    private static string Ids(RunRecord run) => string.Join(", ", run.Stages.Select(stage => stage.Stage));
}

/// <param name="Stage">Or a variant of an experiment; or <c>all</c> of its variants that are compared.</param>
/// <param name="First">Empty where the service's own default was used; likewise the second.</param>
internal sealed record KnobDifference(
    string Stage,
    string Knob,
    string First,
    string Second,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Experiment = null)
{
    /// <summary>As people write it.</summary>
    [JsonIgnore]
    public string Where => Experiment is null ? Stage : $"{Experiment} {Stage}";
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
    string Basis,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Experiment = null)
{
    public const string MoreThanNoise = "more than noise", WithinNoise = "within noise";

    /// <returns>Null where one of the runs does not have the figure.</returns>
    public static FigureDifference? Of(Figure figure, IReadOnlyList<StageRecord> first, IReadOnlyList<StageRecord> second)
    {
        var (a, b) = (ValuesOf(figure, first), ValuesOf(figure, second));
        if (a.Count < first.Count || b.Count < second.Count)
            return null;
        var spread = Repeats.HalfWidthBetween(a, b);
        // Values that are alike by luck say nothing about noise.
        var (noise, basis) = figure.IsExact ? (0, "none is allowed")
            : spread > 0 ? (spread, $"spread of {a.Count} and {b.Count} runs")
            : (ChanceOf(figure, first[0], a.Mean, second[0], b.Mean), "chance of its events");
        return new(first[0].Stage, figure.Name, figure.Meaning, figure.Unit, a.Mean, b.Mean, noise, basis);
    }

    /// <summary>Of the first; null where that is nothing, or no number.</summary>
    [JsonIgnore]
    public double? Share => First == 0 || !double.IsFinite(Second / First) ? null : Second / First - 1;

    public bool IsBeyondNoise => !First.Equals(Second) && !(Math.Abs(Second - First) <= Noise);

    public string Verdict => IsBeyondNoise ? MoreThanNoise : WithinNoise;

    [JsonIgnore]
    public string Where => Experiment is null ? Stage : $"{Experiment} {Stage}";

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
        new([.. stages.Select(stage => stage.Figures.GetValueOrDefault(figure.Name)?.Value ?? double.NaN).Where(double.IsFinite)]);
}
