using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Tests.Checks;

namespace DroneDelivery.Lab.Tests.Runs;

public sealed class RunsAreCompared
{
    private static readonly Imitation Serial = new("2") { Capacity = 12.2 };

    [Fact]
    public void Knobs_that_differ_are_listed_and_figures_only_when_noise_does_not_explain_them()
    {
        var comparison = Comparison.Of(Run(Serial), Run(Serial with { Capacity = 24.4 }, "workflow.maxConcurrentCalls=2"));

        Assert.Equal(new KnobDifference("2", "workflow.maxConcurrentCalls", "1", "2"), Assert.Single(comparison.Knobs));
        Assert.Contains(comparison.Figures, figure => figure.Figure == "completed.plateau" && figure.Second > 1.9 * figure.First);
        Assert.DoesNotContain(comparison.Figures, figure => figure.Figure is "accepted" or "unaccounted" or "incoming.peak");
    }

    [Fact]
    public void A_run_is_like_itself_and_like_one_within_the_noise()
    {
        Assert.Empty(Comparison.Of(Run(Serial), Run(Serial)).Figures);
        Assert.DoesNotContain(Comparison.Of(Run(Serial), Run(Serial with { Capacity = 12.6 })).Figures, figure => figure.Figure.StartsWith("completed", StringComparison.Ordinal));
    }

    [Fact]
    public void Runs_without_a_common_stage_are_not_compared()
    {
        var refusal = Assert.Throws<BadInputException>(() => Comparison.Of(Run(Serial), Run(Serial with { Stage = "3" })));

        Assert.Equal("The runs have no stage in common: 2 against 3.", refusal.Message);
    }

    [Fact]
    public void The_page_of_results_has_every_check_with_prediction_measurement_and_verdict()
    {
        var page = ResultsPage.Of([Run(Serial)]);

        Assert.Contains("2 cores, 8 GiB, Linux, .NET 10, load by own, commit abc.", page, StringComparison.Ordinal);
        Assert.Contains("| 2c | the best 5 s complete what three serial handlers can | about 16/s | 13.6/s | 12.2/s | 10–18/s | holds |", page, StringComparison.Ordinal);
        Assert.Contains("`./lab run 2`", page, StringComparison.Ordinal);
    }

    private static RunRecord Run(Imitation imitation, params string[] knobs)
    {
        var plan = RunPlan.Of([imitation.Stage], new(RunOptions.Quick, KnobSet.Parse(knobs), null, "", new Ports(0), 1, false));
        var measured = imitation.Measure();
        var machine = new MachineRecord("Linux", "X64", 2, 8L << 30, ".NET 10", "abc", null, null);
        return RunRecord.Of(plan, [new(plan.Played[0], DateTimeOffset.UnixEpoch, measured, measured.Series)], DateTimeOffset.UnixEpoch, $"./lab run {imitation.Stage}", machine, null, null, null);
    }
}
