namespace DroneDelivery.Lab.Tests.Commands;

public sealed class StagesCommandTests
{
    [Fact]
    public async Task Stages_are_listed_with_the_runs_that_include_them()
    {
        var (exitCode, output, error) = await LabInMemory.InvokeAsync("stages");

        Assert.Equal((0, ""), (exitCode, error));
        Assert.All(Stage.All(), stage => Assert.Contains(stage.Title, output, StringComparison.Ordinal));
        Assert.Matches("4-long .* no ", output);
        Assert.Contains("as the first half of 5-long", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Stage_shows_its_settings_and_hides_its_outcome_without_spoil()
    {
        var (_, changed, _) = await LabInMemory.InvokeAsync("stages", "5");
        var (_, first, _) = await LabInMemory.InvokeAsync("stages", "1");
        var (_, question, _) = await LabInMemory.InvokeAsync("stages", "4");
        var (_, spoiled, _) = await LabInMemory.InvokeAsync("stages", "4", "--spoil");

        Assert.StartsWith("Stage 4: Parallelism and prefetch", question, StringComparison.Ordinal);
        Assert.Contains(
            "Do more concurrent calls and prefetching clear the backlog?",
            question,
            StringComparison.Ordinal
        );
        Assert.Matches("queue.lockDuration +60s +7.5s ", question);
        Assert.Matches("changed +stage 4 +stage 5", changed);
        Assert.Matches("queue.lockDuration +60s +300s *\n", changed);
        Assert.DoesNotContain("changed", first, StringComparison.Ordinal);
        Assert.DoesNotContain("lost", question, StringComparison.Ordinal);
        AssertHas(spoiled, "The first lock expires after 8.75 s.", "4-telemetry");
    }
}
