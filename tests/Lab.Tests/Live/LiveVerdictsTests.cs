namespace DroneDelivery.Lab.Tests.Live;

/// <summary>Who watches a run reads its verdicts in the words of the terminal and the report.</summary>
public sealed class LiveVerdictsTests
{
    private const string Changed = "run 2 --set workflow.maxConcurrentCalls=2";

    [Theory]
    [InlineData("run 2", "Stage 2 is as expected.")]
    [InlineData(Changed, "Stage 2 is as expected for its knobs, and so not as published.")]
    public void A_stage_that_has_ended_has_its_verdict(string command, string said)
    {
        var run = new LiveRun();
        run.End(PlayedByArithmetic.Run(command).Stages);

        Assert.Contains(said, LiveVerdicts.Of(run).Markup, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("run 2", false)]
    [InlineData(Changed, true)]
    public void A_changed_stage_says_what_it_will_be_judged_by(string command, bool isSaid)
    {
        var run = new LiveRun();
        var plan = PlayedByArithmetic.PlanOf(command).Played.Single();
        run.Begin(LiveStage.Of(plan, DateTimeOffset.UnixEpoch));

        Assert.Equal(
            isSaid, LiveVerdicts.Of(run).Markup.Contains("will be judged by what these knobs", StringComparison.Ordinal));
    }
}
