namespace DroneDelivery.Lab.Tests.Experiments;

public sealed class ExperimentComparisonTests
{
    [Theory]
    [InlineData("share.medianError", 17.0, 17.001, true)] // computed: any difference is one
    [InlineData("share.medianError", 17.0, 17.0, false)]
    [InlineData("share.medianError", double.NaN, double.NaN, false)]
    [InlineData("share.medianError", double.NaN, 17.0, true)]
    [InlineData("disk.wholeFilePerBest", 1.0, 1.2, false)] // real: the arm's noise
    [InlineData("disk.wholeFilePerBest", 1.0, 1.3, true)]
    [InlineData("disk.internalBuffer", 10.0, 10.4, false)] // real: its own
    [InlineData("disk.internalBuffer", 10.0, 10.6, true)]
    public void A_figure_differs_by_more_than_the_noise_of_its_own_or_of_its_arm(
        string figure,
        double first,
        double second,
        bool differs
    )
    {
        Assert.Equal(differs, Compare(first, second).Figures.Count == 1);
        Assert.Equal(differs, Compare(second, first).Figures.Count == 1);

        Comparison Compare(double one, double other) => Comparison.Of([Run(figure, one)], [Run(figure, other)]);
    }

    [Fact]
    public void A_knob_that_differs_alike_in_all_variants_is_one_difference()
    {
        var comparison = Comparison.Of([Scale(c16: 180, c4: 180)], [Scale(c16: 90, c4: 90)]);
        var apart = Comparison.Of([Scale(c16: 180, c4: 180)], [Scale(c16: 90, c4: 60)]);

        Assert.Equal([new("all", "load.duration", "180", "90", "http-scale")], comparison.Knobs);
        Assert.Equal(["c16", "c4"], apart.Knobs.Select(knob => knob.Stage));
    }

    [Fact]
    public void What_makes_them_hard_to_compare_is_said()
    {
        var run = Run("disk.throughput", 1000);
        var another = run with
        {
            K = 1,
            Machine = PlayedByArithmetic.Machine with { Cores = 8 },
            Outcome = Outcomes.Incomplete,
        };

        var caveats = Comparison.Of([run], [another]).Caveats;

        Assert.Equal(3, caveats.Count);
        Assert.Empty(Comparison.Of([run], [run]).Caveats);
    }

    private static RunRecord Run(string figure, double value)
    {
        var arm = Experiment.Load("disk-writes").FigureOf(figure).Arm;
        var figures = new Dictionary<string, double> { [figure] = value };
        return Of("disk-writes", [new("it", arm, "", new Dictionary<string, double>(), new(figures))]);
    }

    private static RunRecord Scale(double c16, double c4) => Of("http-scale", [Variant("c16", c16), Variant("c4", c4)]);

    private static VariantRecord Variant(string name, double duration) =>
        new(
            name,
            Arm.Emulated,
            "",
            new Dictionary<string, double> { ["load.duration"] = duration },
            new(new Dictionary<string, double>())
        );

    private static RunRecord Of(string name, IReadOnlyList<VariantRecord> variants) =>
        PlayedExperiment.RunOf([new(name, Outcomes.Holds, variants, Checks: [], LeftOut: [])]);
}
