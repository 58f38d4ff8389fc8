namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class ExperimentFileTests
{
    [Fact]
    public void Each_experiment_is_complete_and_consistent() => Assert.All(Experiment.All(), experiment =>
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
    public void Last_value_of_a_repeated_setting_counts() =>
        Assert.Equal(2, Experiment.Load("disk-writes").Parse(["share.perMiB=1", "share.perMiB=2"])["share.perMiB"]);
}
