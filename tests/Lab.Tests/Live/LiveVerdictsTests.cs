namespace DroneDelivery.Lab.Tests.Live;

public sealed class LiveVerdictsTests
{
    [Theory]
    [InlineData("run 2", "Stage 2 is as expected.", false)]
    [InlineData(
        "run 2 --set workflow.maxConcurrentCalls=2",
        "Stage 2 is as expected for its knobs, but not as published.",
        true
    )]
    public void Stage_shows_its_criteria_and_its_result(string command, string said, bool isChanged)
    {
        var run = new LiveRun();
        run.Begin(LiveStage.Of(ComputedRun.PlanOf(command).Played.Single(), DateTimeOffset.UnixEpoch));
        Assert.Equal(
            isChanged,
            LiveVerdicts
                .Of(run)
                .Markup.Contains("will be checked against the prediction for these knobs", StringComparison.Ordinal)
        );

        run.End(ComputedRun.Run(command).Stages);
        Assert.Contains(said, LiveVerdicts.Of(run).Markup, StringComparison.Ordinal);
    }
}
