namespace DroneDelivery.Lab.Tests.Live;

public sealed class LiveVerdictsTests
{
    [Theory]
    [InlineData("run 2", "Stage 2 is as expected.", false)]
    [InlineData(
        "run 2 --set workflow.maxConcurrentCalls=2",
        "Stage 2 is as expected for its knobs, and so not as published.",
        true
    )]
    public void A_stage_says_what_it_will_be_judged_by_if_it_is_changed_and_has_its_verdict_at_its_end(
        string command,
        string said,
        bool isChanged
    )
    {
        var run = new LiveRun();
        run.Begin(LiveStage.Of(PlayedByArithmetic.PlanOf(command).Played.Single(), DateTimeOffset.UnixEpoch));
        Assert.Equal(
            isChanged,
            LiveVerdicts.Of(run).Markup.Contains("will be judged by what these knobs", StringComparison.Ordinal)
        );

        run.End(PlayedByArithmetic.Run(command).Stages);
        Assert.Contains(said, LiveVerdicts.Of(run).Markup, StringComparison.Ordinal);
    }
}
