namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class ExperimentFileTests
{
    [Fact]
    public void Each_has_code_ranges_of_its_knobs_whole_rows_and_rows_that_it_is_fitted_to() =>
        Assert.All(Experiment.All(), experiment =>
        {
            var table = experiment.Article.Table;
            var called = experiment.Knobs.Where(knob =>
                knob.Value.Meaning.Contains("fitted", StringComparison.Ordinal)
            );

            Assert.NotNull(Player.Of(experiment));
            Assert.All(experiment.Knobs.Values, knob =>
            {
                Assert.InRange(knob.For(isFull: true), knob.Min, knob.Max);
                Assert.InRange(knob.For(isFull: false), knob.Min, knob.Max);
            });
            var turned = experiment.Variants.SelectMany(variant => variant.Knobs?.Keys ?? []);
            Assert.All(turned, knob => Assert.Contains(knob, experiment.Knobs.Keys));
            Assert.NotEmpty(table.Rows);
            Assert.All(table.Rows, row => Assert.Equal(table.Head.Count, row.Count));
            Assert.Empty(called.Select(knob => knob.Key).Except(experiment.Fits.SelectMany(fit => fit.Knobs)));
        });

    [Fact]
    public void Of_a_knob_that_is_set_twice_the_last_counts() =>
        Assert.Equal(2, Experiment.Load("disk-writes").Parse(["share.perMiB=1", "share.perMiB=2"])["share.perMiB"]);
}
