using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Stages;

/// <summary>What happens in a stage is told in one place: its file. Workshop, report and terminal show it.</summary>
public sealed class ExpectationTests
{
    public static TheoryData<string> Told => [.. Stage.All().Where(stage => stage.Expect is not null).Select(stage => stage.Id)];

    [Fact]
    public void Every_stage_that_the_story_plays_says_what_happens() =>
        Assert.Equal(
            ["1", "2", "3", "4", "5", "5-long", "6-long"], Stage.All().Where(stage => stage.Expect is not null).Select(it => it.Id));

    [Theory, MemberData(nameof(Told))]
    public void The_workshop_has_it_folded_away_and_it_is_known_at_both_lengths(string id)
    {
        Assert.Contains(
            $"<details>\n<summary>What happens in stage {id}</summary>\n\n",
            File.ReadAllText(Path.Combine(Repository.Root, "docs", "tutorials", "workshop.md")), StringComparison.Ordinal);
        Assert.DoesNotContain('{', Stage.Load(id).Expectation(1)!);
        Assert.DoesNotContain('{', Stage.Load(id).Expectation(RunOptions.Quick)!);
    }

    [Fact]
    public void The_report_has_it_too_unless_the_knobs_are_others()
    {
        const string Said = "What the model expected";

        Assert.Contains(Said, RunReport.Render(PlayedByArithmetic.Run("run 2"), telemetry: null), StringComparison.Ordinal);
        Assert.DoesNotContain(
            Said, RunReport.Render(PlayedByArithmetic.Run("run 2 --set workflow.replicas=4"), telemetry: null), StringComparison.Ordinal);
    }
}
