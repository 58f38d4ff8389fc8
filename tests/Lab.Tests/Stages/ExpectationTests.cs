using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Stages;

public sealed class ExpectationTests
{
    [Fact]
    public void Every_stage_that_the_story_plays_says_what_happens_at_both_lengths_and_the_workshop_has_it_folded_away()
    {
        var told = Stage.All().Where(stage => stage.Expect is not null).ToList();
        var workshop = File.ReadAllText(Path.Combine(Repository.Root, "docs", "tutorials", "workshop.md"));

        Assert.Equal(["1", "2", "3", "4", "5", "5-long", "6-long"], told.Select(stage => stage.Id));
        Assert.All(told, stage =>
        {
            AssertHas(workshop, $"<details>\n<summary>What happens in stage {stage.Id}</summary>\n\n");
            Assert.DoesNotContain('{', stage.Expectation(1)!);
            Assert.DoesNotContain('{', stage.Expectation(RunOptions.Quick)!);
        });
    }

    [Fact]
    public void The_report_has_it_too_unless_the_knobs_are_others()
    {
        const string Said = "What the model expected";

        Assert.Contains(
            Said,
            RunReport.Render(PlayedByArithmetic.Run("run 2"), telemetry: null),
            StringComparison.Ordinal
        );
        AssertLacks(RunReport.Render(PlayedByArithmetic.Run("run 2 --set workflow.replicas=4"), telemetry: null), Said);
    }
}
