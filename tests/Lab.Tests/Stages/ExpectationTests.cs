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
    public void The_workshop_has_it_with_the_figures_of_a_quick_run_folded_away(string id)
    {
        var page = Regex.Replace(File.ReadAllText(Path.Combine(Repository.Root, "docs", "workshop.md")), @"\s+", " ");
        var text = Expectation.Of(Stage.Load(id), RunOptions.Quick)!;

        Assert.True(
            page.Contains($"<details> <summary>What happens in stage {id}</summary> {text} </details>", StringComparison.Ordinal),
            $"docs/workshop.md: <details> of stage {id} has to be:\n{text}");
    }

    [Theory, MemberData(nameof(Told))]
    public void It_is_known_at_both_lengths(string id)
    {
        Assert.DoesNotContain('{', Expectation.Of(Stage.Load(id), 1)!);
        Assert.DoesNotContain('{', Expectation.Of(Stage.Load(id), RunOptions.Quick)!);
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
