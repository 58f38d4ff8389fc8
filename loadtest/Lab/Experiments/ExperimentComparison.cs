using System.Text.Json.Serialization;
using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What differs between two records of the same experiments.</summary>
/// <param name="Figures">Those that are further apart than noise explains; of the emulated arm, which has none, all that differ.</param>
/// <param name="Same">How many figures were compared and are not.</param>
/// <param name="Caveats">What makes the two hard to compare, each a sentence.</param>
internal sealed record ExperimentComparison(
    IReadOnlyList<ExperimentKnobDifference> Knobs,
    IReadOnlyList<ExperimentFigureDifference> Figures,
    int Same,
    IReadOnlyList<string> Caveats)
{
    /// <exception cref="BadInputException">No experiment is in both, or no variant of one.</exception>
    public static ExperimentComparison Of(IReadOnlyList<ExperimentRecord> first, IReadOnlyList<ExperimentRecord> second)
    {
        var pairs = Pairs(first, second);
        if (pairs.Count == 0)
            throw new BadInputException($"They are different experiments: {Names(first)} against {Names(second)}.");
        if (!pairs.Any(pair => VariantPairs(pair.First, pair.Second).Count > 0))
            throw new BadInputException($"They have no variant in common: {Variants(first)} against {Variants(second)}.");
        var figures = pairs.SelectMany(pair => FiguresOf(pair.First, pair.Second)).ToList();
        var apart = figures.Where(figure => figure.IsBeyondNoise).ToList();
        return new(
            [.. pairs.SelectMany(pair => KnobsOf(pair.First, pair.Second))],
            apart,
            figures.Count - apart.Count,
            [.. pairs.SelectMany(pair => CaveatsOf(pair.First, pair.Second)).Distinct()]);
    }

    /// <summary>The experiments that are in both.</summary>
    public static IReadOnlyList<(ExperimentRecord First, ExperimentRecord Second)> Pairs(
        IReadOnlyList<ExperimentRecord> first, IReadOnlyList<ExperimentRecord> second) =>
        [.. first.Join(second, record => record.Name, record => record.Name, (a, b) => (a, b))];

    /// <summary>The variants that are in both.</summary>
    public static IReadOnlyList<(VariantRecord First, VariantRecord Second)> VariantPairs(
        ExperimentRecord first, ExperimentRecord second) =>
        [.. first.Variants.Join(second.Variants, variant => variant.Name, variant => variant.Name, (a, b) => (a, b))];

    /// <summary>A knob that differs alike in all variants that are compared is one difference.</summary>
    private static IEnumerable<ExperimentKnobDifference> KnobsOf(ExperimentRecord first, ExperimentRecord second)
    {
        var pairs = VariantPairs(first, second);
        var each = pairs.SelectMany(pair => KnobsOf(first.Name, pair.First, pair.Second));
        return from it in each
               group it by (it.Knob, it.First, it.Second) into alike
               from shown in pairs.Count > 1 && alike.Count() == pairs.Count
                   ? [alike.First() with { Variant = Experiment.Everything }]
                   : alike.AsEnumerable()
               select shown;
    }

    private static IEnumerable<ExperimentKnobDifference> KnobsOf(string experiment, VariantRecord first, VariantRecord second) =>
        from knob in first.Knobs.Keys.Union(second.Knobs.Keys).Order()
        let values = (First: Value(first.Knobs, knob), Second: Value(second.Knobs, knob))
        where values.First != values.Second
        select new ExperimentKnobDifference(experiment, first.Name, knob, values.First, values.Second);

    private static IEnumerable<ExperimentFigureDifference> FiguresOf(ExperimentRecord first, ExperimentRecord second) =>
        from pair in VariantPairs(first, second)
        from figure in pair.First.Exhibits.Figures
        where pair.Second.Exhibits.Figures.ContainsKey(figure.Key)
        let known = Experiment.Load(first.Name).FigureOf(figure.Key)
        select new ExperimentFigureDifference(
            first.Name, figure.Key, known.Unit, known.Arm, figure.Value, pair.Second.Exhibits.Figures[figure.Key], known.NoiseShare);

    private static IEnumerable<string> CaveatsOf(ExperimentRecord first, ExperimentRecord second)
    {
        if (first.IsFull != second.IsFull)
            yield return "One is of full length, the other quick: counts and means of a ramp are not comparable.";
        var isReal = VariantPairs(first, second).Any(pair => pair.First.Arm == Arm.Real);
        if (isReal && (first.Machine.System, first.Machine.Cores) != (second.Machine.System, second.Machine.Cores))
            yield return "The machines differ: what is real compares the machines, too.";
        foreach (var record in new[] { first, second }.Where(record => record.Outcome == Outcomes.Incomplete))
            yield return $"{record.Name} of {record.StartedAt.ToLocalTime():yyyy-MM-dd HH:mm:ss} is incomplete.";
    }

    // Null where the knob was none of that version's.
    private static double? Value(IReadOnlyDictionary<string, double> knobs, string name) =>
        knobs.TryGetValue(name, out var value) ? value : null;

    private static string Names(IReadOnlyList<ExperimentRecord> records) => string.Join(", ", records.Select(record => record.Name));

    private static string Variants(IReadOnlyList<ExperimentRecord> records) =>
        string.Join(", ", records.SelectMany(record => record.Variants).Select(variant => variant.Name));
}

/// <param name="Variant">Or <c>all</c> that are compared.</param>
internal sealed record ExperimentKnobDifference(string Experiment, string Variant, string Knob, double? First, double? Second);

/// <param name="Noise">Share by which two equal runs may differ, of the mean of both; of what is computed, nothing.</param>
internal sealed record ExperimentFigureDifference(
    string Experiment, string Figure, string Unit, Arm Arm, double First, double Second, double Noise)
{
    /// <summary>The last digits of a sum belong to the processor.</summary>
    private const double Rounding = 1e-9;

    /// <summary>Of the first; null where that is nothing, or no number.</summary>
    [JsonIgnore]
    public double? Share => First == 0 || !double.IsFinite(Second / First) ? null : Second / First - 1;

    /// <summary>What noise may be here, in the figure's unit: the same whichever of the two is the first.</summary>
    [JsonIgnore]
    public double Allowed => Math.Max(Noise, Rounding) * (Math.Abs(First) + Math.Abs(Second)) / 2;

    public bool IsBeyondNoise => !First.Equals(Second) && !(Math.Abs(Second - First) <= Allowed);

    /// <summary>As people write it.</summary>
    [JsonIgnore]
    public string NoiseText => Noise > 0 ? $"±{Noise:0 %}" : "none";
}
