namespace DroneDelivery.Lab.Tests.Report;

public sealed class FindingsTests
{
    private const string Meaning = ": the application cannot sustain the rate.", Counted = "/s.";

    [Fact]
    public void What_a_stage_means_is_told_where_it_is_as_published_and_holds()
    {
        var run = PlayedByArithmetic.Run("run 5-long");
        var stage = StageOf(run, "5-long");

        Assert.EndsWith(Meaning, Story.Of(run, stage), StringComparison.Ordinal);
        Assert.EndsWith(Counted, Story.Of(run, stage with { Outcome = Outcomes.Fails }), StringComparison.Ordinal);
    }

    [Fact]
    public void Where_a_knob_was_turned_the_figures_stand_alone()
    {
        var run = PlayedByArithmetic.Run("run 5-long --set workflow.prefetchCount=2900");

        Assert.Equal(Outcomes.Holds, run.Outcome);
        Assert.EndsWith(Counted, Story.Of(run, StageOf(run, "5-long")), StringComparison.Ordinal);
    }

    [Fact]
    public void A_half_means_something_where_its_whole_stage_holds()
    {
        var run = PlayedByArithmetic.Run("run 5-long 6-long");
        var broken = run with
        {
            Stages = [.. run.Stages.Select(stage => stage.Stage == "6-long" ? stage with { Outcome = Outcomes.Fails } : stage)],
        };

        Assert.EndsWith(": twice the nodes keep up.", Story.Of(run, StageOf(run, "6")), StringComparison.Ordinal);
        Assert.EndsWith(" CPU.", Story.Of(broken, StageOf(broken, "6")), StringComparison.Ordinal);
    }

    [Fact]
    public void Checks_that_were_not_judged_are_not_said_to_hold()
    {
        var run = PlayedByArithmetic.Run("run 3");
        var report = RunReport.Render(run, telemetry: null);

        Assert.Equal(Outcomes.Holds, run.Outcome);
        Assert.Contains("Every check that could be judged holds (4 of 5).", report, StringComparison.Ordinal);
        Assert.DoesNotContain("twice the back ends change nothing", report, StringComparison.Ordinal);
        Assert.Contains(
            "Every check holds.", RunReport.Render(PlayedByArithmetic.Run("run 2 3"), telemetry: null), StringComparison.Ordinal);
    }

    private static StageRecord StageOf(RunRecord run, string id) => run.Stages.Single(stage => stage.Stage == id);
}
