using System.Globalization;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What differs between two records of the same experiments.</summary>
internal static class ExperimentComparison
{
    /// <summary>The last digits of a sum belong to the processor.</summary>
    private const double Rounding = 1e-9;

    /// <exception cref="BadInputException">No experiment is in both, or no variant of one.</exception>
    public static Comparison Of(IReadOnlyList<ExperimentRecord> first, IReadOnlyList<ExperimentRecord> second)
    {
        var pairs = Pairs(first, second);
        if (pairs.Count == 0)
            throw new BadInputException($"They are different experiments: {Names(first)} against {Names(second)}.");
        if (!pairs.SelectMany(VariantPairs).Any())
            throw new BadInputException($"They have no variant in common: {Variants(first)} against {Variants(second)}.");
        return Comparison.Of(pairs.SelectMany(KnobsOf), pairs.SelectMany(FiguresOf), pairs.SelectMany(CaveatsOf).Distinct());
    }

    /// <inheritdoc cref="Of"/>
    public static ComparisonReport Report(
        string firstName, IReadOnlyList<ExperimentRecord> first, string secondName, IReadOnlyList<ExperimentRecord> second)
    {
        var pairs = Pairs(first, second);
        return new(
            Of(first, second),
            $"{firstName} beside {secondName}",
            [.. pairs.SelectMany(pair => new[] { (firstName, pair.First), (secondName, pair.Second) })
                .Select(it => (it.Item1, it.Item2.Outcome, it.Item2.Command))],
            [.. from pair in pairs
                from variants in VariantPairs(pair)
                let of = $"{pair.First.Name} {variants.First.Name}"
                select new ComparedPart(of, of, variants.First.Title, ChartsOf(pair.First.Name, variants.First, variants.Second))]);
    }

    private static List<(ExperimentRecord First, ExperimentRecord Second)> Pairs(
        IReadOnlyList<ExperimentRecord> first, IReadOnlyList<ExperimentRecord> second) =>
        [.. first.Join(second, record => record.Name, record => record.Name, (a, b) => (a, b))];

    private static List<(VariantRecord First, VariantRecord Second)> VariantPairs((ExperimentRecord First, ExperimentRecord Second) pair) =>
        [.. pair.First.Variants.Join(pair.Second.Variants, variant => variant.Name, variant => variant.Name, (a, b) => (a, b))];

    /// <summary>A knob that differs alike in all variants that are compared is one difference.</summary>
    private static IEnumerable<KnobDifference> KnobsOf((ExperimentRecord First, ExperimentRecord Second) pair)
    {
        var variants = VariantPairs(pair);
        var each = from it in variants
                   from knob in it.First.Knobs.Keys.Union(it.Second.Knobs.Keys).Order()
                   let difference = new KnobDifference(
                       it.First.Name, knob, Value(it.First, knob), Value(it.Second, knob), pair.First.Name)
                   where difference.First != difference.Second
                   select difference;
        return from it in each
               group it by (it.Knob, it.First, it.Second) into alike
               from shown in variants.Count > 1 && alike.Count() == variants.Count
                   ? [alike.First() with { Stage = Experiment.Everything }]
                   : alike.AsEnumerable()
               select shown;
    }

    private static IEnumerable<FigureDifference> FiguresOf((ExperimentRecord First, ExperimentRecord Second) pair) =>
        from it in VariantPairs(pair)
        from figure in it.First.Exhibits.Figures
        where it.Second.Exhibits.Figures.ContainsKey(figure.Key)
        let second = it.Second.Exhibits.Figures[figure.Key]
        let known = Experiment.Load(pair.First.Name).FigureOf(figure.Key)
        let noise = Math.Max(known.NoiseShare, Rounding) * (Math.Abs(figure.Value) + Math.Abs(second)) / 2
        let basis = known.NoiseShare > 0 ? $"real: ±{known.NoiseShare:0 %}" : "emulated: none is allowed"
        select new FigureDifference(
            it.First.Name, figure.Key, known.Meaning, known.Unit, figure.Value, second, noise, basis, pair.First.Name);

    private static IEnumerable<string> CaveatsOf((ExperimentRecord First, ExperimentRecord Second) pair)
    {
        var (first, second) = pair;
        if (first.IsFull != second.IsFull)
            yield return "One is of full length, the other quick: counts and means of a ramp are not comparable.";
        var isReal = VariantPairs(pair).Any(variants => variants.First.Arm == Arm.Real);
        if (isReal && (first.Machine.System, first.Machine.Cores) != (second.Machine.System, second.Machine.Cores))
            yield return "The machines differ: what is real compares the machines, too.";
        foreach (var record in new[] { first, second }.Where(record => record.Outcome == Outcomes.Incomplete))
            yield return $"{record.Name} of {record.StartedAt.ToLocalTime():yyyy-MM-dd HH:mm:ss} is incomplete.";
    }

    // A dash where the knob was none of that version's.
    private static string Value(VariantRecord variant, string knob) =>
        variant.Knobs.TryGetValue(knob, out var value) ? value.ToString(CultureInfo.InvariantCulture) : "–";

    private static IReadOnlyList<LineChart> ChartsOf(string experiment, VariantRecord first, VariantRecord second) =>
    [
        .. first.Exhibits.Charts.Join(second.Exhibits.Charts, chart => chart.Title, chart => chart.Title, (a, b) => (a, b))
            .Select((both, i) => new LineChart(
                $"{experiment}-{first.Name}-{i}", both.a.Title, $"First: {both.a.Says} Second: {both.b.Says}", both.a.Unit,
                Palette.Paint([.. Lines(ComparisonReport.First, both.a), .. Lines(ComparisonReport.Second, both.b)]), [])),
    ];

    private static IEnumerable<Line> Lines(string which, ExperimentChart chart) =>
        chart.Lines.Select(line => ExperimentReport.LineOf(line) with { Name = chart.Lines.Count == 1 ? which : $"{which}, {line.Name}" });

    private static string Names(IReadOnlyList<ExperimentRecord> records) => string.Join(", ", records.Select(record => record.Name));

    private static string Variants(IReadOnlyList<ExperimentRecord> records) =>
        string.Join(", ", records.SelectMany(record => record.Variants).Select(variant => variant.Name));
}
