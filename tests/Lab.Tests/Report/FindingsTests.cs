namespace DroneDelivery.Lab.Tests.Report;

public sealed class FindingsTests
{
    private const string Unsustained = ": the application cannot sustain the rate.",
        KeepsUp = ": twice as many nodes keep up.";

    [Theory]
    [InlineData("run 5-long", "5-long", "", Unsustained)]
    [InlineData("run 5-long", "5-long", "5-long", "/s.")]
    [InlineData("run 5-long --set workflow.prefetchCount=2900", "5-long", "", "/s.")]
    [InlineData("run 5-long 6-long", "6", "", KeepsUp)]
    [InlineData("run 5-long 6-long", "6", "6-long", " CPU.")] // Its whole stage fails.
    public void Finding_includes_its_meaning_only_when_the_stage_passed(
        string command,
        string stage,
        string fails,
        string end
    )
    {
        var run = ComputedRun.Run(command);
        run = run with
        {
            Stages = [.. run.Stages.Select(it => it.Stage == fails ? it with { Outcome = Outcomes.Fails } : it)],
        };

        Assert.EndsWith(end, Story.Of(run, run.Stages.Single(it => it.Stage == stage)), StringComparison.Ordinal);
    }

    [Fact]
    public void Ungraded_checks_between_stages_are_not_reported_as_passed()
    {
        var run = ComputedRun.Run("run 3");
        var report = RunReport.Render(run, telemetry: null);

        Assert.Equal(Outcomes.Holds, run.Outcome);
        Assert.Equal("needs stage 2", run.Stages[0].Checks.Single(check => check.Id == "3a").Verdict);
        Assert.Contains("Every check that could be evaluated holds (4 of 5).", report, StringComparison.Ordinal);
        Assert.DoesNotContain("twice the back ends change nothing", report, StringComparison.Ordinal);
        AssertHas(RunReport.Render(ComputedRun.Run("run 2 3"), telemetry: null), "Every check holds.");
    }
}
