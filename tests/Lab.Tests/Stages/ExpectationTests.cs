using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Stages;

public sealed class ExpectationTests
{
    [Fact]
    public void Every_default_stage_has_an_expectation_in_the_workshop()
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
    public void Report_contains_the_expectation_unless_settings_changed()
    {
        const string Said = "What the model expected";

        Assert.Contains(Said, RunReport.Render(ComputedRun.Run("run 2"), telemetry: null), StringComparison.Ordinal);
        AssertLacks(RunReport.Render(ComputedRun.Run("run 2 --set workflow.replicas=4"), telemetry: null), Said);
    }
}
