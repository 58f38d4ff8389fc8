namespace DroneDelivery.Lab.Tests.Report;

public sealed class FindingsTests
{
    private const string Unsustained = ": the application cannot sustain the rate.",
        KeepsUp = ": twice the nodes keep up.";

    [Theory]
    [InlineData("run 5-long", "5-long", "", Unsustained)]
    [InlineData("run 5-long", "5-long", "5-long", "/s.")]
    [InlineData("run 5-long --set workflow.prefetchCount=2900", "5-long", "", "/s.")]
    [InlineData("run 5-long 6-long", "6", "", KeepsUp)]
    [InlineData("run 5-long 6-long", "6", "6-long", " CPU.")] // its whole stage fails
    public void A_stage_is_told_with_its_meaning_or_without(string command, string stage, string fails, string end)
    {
        var run = PlayedByArithmetic.Run(command);
        run = run with
        {
            Stages = [.. run.Stages.Select(it => it.Stage == fails ? it with { Outcome = Outcomes.Fails } : it)],
        };

        Assert.EndsWith(end, Story.Of(run, run.Stages.Single(it => it.Stage == stage)), StringComparison.Ordinal);
    }

    [Fact]
    public void Checks_between_stages_that_were_not_judged_without_the_other_stage_are_not_said_to_hold()
    {
        var run = PlayedByArithmetic.Run("run 3");
        var report = RunReport.Render(run, telemetry: null);

        Assert.Equal(Outcomes.Holds, run.Outcome);
        Assert.Equal("needs stage 2", run.Stages[0].Checks.Single(check => check.Id == "3a").Verdict);
        Assert.Contains("Every check that could be judged holds (4 of 5).", report, StringComparison.Ordinal);
        Assert.DoesNotContain("twice the back ends change nothing", report, StringComparison.Ordinal);
        AssertHas(RunReport.Render(PlayedByArithmetic.Run("run 2 3"), telemetry: null), "Every check holds.");
    }
}
