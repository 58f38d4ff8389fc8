using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Judge;

/// <summary>What differs between two runs of the same stages or experiments, or between two sets of equal runs.</summary>
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
        var (stages, variants) = (Pairs(one, other), VariantPair.Of(one, other));
        if (stages.Count + variants.Count == 0)
        {
            throw new BadInputException(
                $"They have no stage or variant in common: {Names(one)} against {Names(other)}."
            );
        }

        var figures = stages
            .SelectMany(pair => FiguresOf(Stages(first, pair.First.Stage), Stages(second, pair.First.Stage)))
            .Concat(variants.SelectMany(pair => pair.Figures))
            .ToLookup(figure => figure.IsBeyondNoise);
        return new(
            [.. stages.SelectMany(pair => KnobsOf(pair.First, pair.Second)), .. VariantPair.KnobsOf(variants)],
            [.. figures[true]],
            figures[false].Count(),
            [.. CaveatsOf(one, other, variants)]
        );
    }

    public static IReadOnlyList<(StageRecord First, StageRecord Second)> Pairs(RunRecord first, RunRecord second) =>
        [.. first.Stages.Join(second.Stages, stage => stage.Stage, stage => stage.Stage, (a, b) => (a, b))];

    private static void RequireAlike(IReadOnlyList<RunRecord> runs)
    {
        foreach (var other in runs.Skip(1))
        {
            var knobs = Pairs(runs[0], other)
                .SelectMany(pair => KnobsOf(pair.First, pair.Second))
                .Concat(VariantPair.KnobsOf(VariantPair.Of(runs[0], other)));
            if (knobs.FirstOrDefault() is { } knob)
            {
                throw new BadInputException(
                    $"{knob.Knob} of {(knob.Experiment is null ? "stage " : "")}{knob.Where} is {knob.First} in one and {knob.Second} "
                        + "in another: runs on the same side of a comparison have the same knobs."
                );
            }
        }
    }

    private static List<StageRecord> Stages(IReadOnlyList<RunRecord> runs, string id) =>
        [.. runs.SelectMany(run => run.Stages).Where(stage => stage.Stage == id)];

    private static IEnumerable<KnobDifference> KnobsOf(StageRecord first, StageRecord second) =>
        KnobDifference.Of(first.Stage, first.Knobs, second.Knobs, absent: "");

    private static IEnumerable<FigureDifference> FiguresOf(
        IReadOnlyList<StageRecord> first,
        IReadOnlyList<StageRecord> second
    ) => FigureTable.All.Select(figure => FigureDifference.Of(figure, first, second)).OfType<FigureDifference>();

    private static IEnumerable<string> CaveatsOf(RunRecord first, RunRecord second, IReadOnlyList<VariantPair> variants)
    {
        if (first.K != second.K)
        {
            yield return first.IsOfExperiments
                ? "One is of full length, the other quick: counts and means of a ramp are not comparable."
                : "The runs are of different length: only rates can be compared.";
        }
        if (
            variants.Any(pair => pair.First.Arm == Arm.Real)
            && (first.Machine.System, first.Machine.Cores) != (second.Machine.System, second.Machine.Cores)
        )
        {
            yield return "The machines differ: what is real compares the machines, too.";
        }
        foreach (var run in new[] { first, second }.Where(run => run.Outcome == Outcomes.Incomplete))
            yield return $"The run of {run.StartedAt.ToLocalTime():yyyy-MM-dd HH:mm:ss} is incomplete.";
    }

    private static string Names(RunRecord run) =>
        string.Join(
            ", ",
            run.Stages.Select(stage => stage.Stage)
                .Concat(
                    from experiment in run.Experiments
                    from variant in experiment.Variants
                    select $"{experiment.Name} {variant.Name}"
                )
        );
}

/// <summary>A variant that was played in two runs.</summary>
internal sealed record VariantPair(Experiment Experiment, VariantRecord First, VariantRecord Second)
{
    /// <summary>The last digits of a sum belong to the processor.</summary>
    private const double Rounding = 1e-9;

    public static IReadOnlyList<VariantPair> Of(RunRecord first, RunRecord second) =>
        [
            .. from a in first.Experiments
            join b in second.Experiments on a.Name equals b.Name
            from one in a.Variants
            from other in b.Variants
            where one.Name == other.Name
            select new VariantPair(Experiment.Load(a.Name), one, other),
        ];

    /// <summary>A knob that differs alike in all variants that are compared is one difference.</summary>
    public static IEnumerable<KnobDifference> KnobsOf(IEnumerable<VariantPair> pairs) =>
        from experiment in pairs.GroupBy(pair => pair.Experiment)
        from alike in experiment.SelectMany(pair => pair.Knobs).GroupBy(it => (it.Knob, it.First, it.Second))
        from shown in experiment.Count() > 1 && alike.Count() == experiment.Count()
            ? [alike.First() with { Stage = Experiment.Everything }]
            : alike.AsEnumerable()
        select shown;

    // A dash where the knob was none of that version's.
    private IEnumerable<KnobDifference> Knobs =>
        KnobDifference
            .Of(First.Name, Texts(First), Texts(Second), absent: "–")
            .Select(knob => knob with { Experiment = Experiment.Name });

    public IEnumerable<FigureDifference> Figures =>
        from figure in First.Exhibits.Figures
        where Second.Exhibits.Figures.ContainsKey(figure.Key)
        let second = Second.Exhibits.Figures[figure.Key]
        let known = Experiment.FigureOf(figure.Key)
        let noise = Math.Max(known.NoiseShare, Rounding) * (Math.Abs(figure.Value) + Math.Abs(second)) / 2
        let basis = known.NoiseShare > 0 ? $"real: ±{known.NoiseShare:0 %}" : "emulated: none is allowed"
        select new FigureDifference(
            First.Name,
            figure.Key,
            known.Meaning,
            known.Unit,
            figure.Value,
            second,
            noise,
            basis,
            Experiment.Name
        );

    private static Dictionary<string, string> Texts(VariantRecord variant) =>
        variant.Knobs.ToDictionary(knob => knob.Key, knob => $"{knob.Value}");
}

/// <param name="Stage">Or a variant of an experiment; or <c>all</c> of its variants that are compared.</param>
/// <param name="First">Empty where the service's own default was used; likewise the second.</param>
internal sealed record KnobDifference(
    string Stage,
    string Knob,
    string First,
    string Second,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Experiment = null
)
{
    /// <summary>As people write it.</summary>
    [JsonIgnore]
    public string Where => Experiment is null ? Stage : $"{Experiment} {Stage}";

    public static IEnumerable<KnobDifference> Of(
        string stage,
        IReadOnlyDictionary<string, string> first,
        IReadOnlyDictionary<string, string> second,
        string absent
    ) =>
        from knob in first.Keys.Union(second.Keys).Order()
        let values = (First: first.GetValueOrDefault(knob, absent), Second: second.GetValueOrDefault(knob, absent))
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
    string Basis,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Experiment = null
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
        new([
            .. stages
                .Select(stage => stage.Figures.GetValueOrDefault(figure.Name)?.Value ?? double.NaN)
                .Where(double.IsFinite),
        ]);
}
