namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary>The files of <c>loadtest/experiments</c> and the code that plays them speak of the same things.</summary>
public sealed class ExperimentFileTests
{
    public static TheoryData<string> Names => [.. Experiment.All().Select(experiment => experiment.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Every_experiment_has_code_and_a_range_for_each_knob(string name)
    {
        var experiment = Experiment.Load(name);

        Assert.NotNull(ExperimentPlayer.Of(experiment));
        Assert.All(experiment.Knobs.Values, knob =>
        {
            Assert.InRange(knob.For(isFull: true), knob.Min, knob.Max);
            Assert.InRange(knob.For(isFull: false), knob.Min, knob.Max);
        });
        var turned = experiment.Variants.SelectMany(variant => variant.Knobs?.Keys ?? []);
        Assert.All(turned, knob => Assert.Contains(knob, experiment.Knobs.Keys));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Every_row_of_the_articles_table_has_all_its_columns(string name)
    {
        var table = Experiment.Load(name).Article.Table;

        Assert.NotEmpty(table.Rows);
        Assert.All(table.Rows, row => Assert.Equal(table.Head.Count, row.Count));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Every_knob_that_is_called_fitted_is_said_to_be_fitted_to_rows(string name)
    {
        var experiment = Experiment.Load(name);
        var called = experiment.Knobs.Where(knob => knob.Value.Meaning.Contains("fitted", StringComparison.Ordinal));

        Assert.Empty(called.Select(knob => knob.Key).Except(experiment.Fits.SelectMany(fit => fit.Knobs)));
    }

    [Fact]
    public void A_check_of_two_experiments_never_has_the_same_id()
    {
        var ids = Experiment.All().SelectMany(experiment => experiment.Checks).Select(check => check.Id).ToList();

        Assert.Equal(ids.Count, ids.Distinct().Count());
    }

    [Fact]
    public void Of_a_knob_that_is_set_twice_the_last_counts() =>
        Assert.Equal(2, KnobValues.Parse(Experiment.Load("disk-writes"), ["share.perMiB=1", "share.perMiB=2"])["share.perMiB"]);
}
