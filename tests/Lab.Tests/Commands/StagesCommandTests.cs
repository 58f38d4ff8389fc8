namespace DroneDelivery.Lab.Tests.Commands;

public sealed class StagesCommandTests
{
    [Fact]
    public async Task Without_a_stage_it_lists_them_all_with_who_plays_them()
    {
        var (exitCode, output, error) = await LabInMemory.TypeAsync("stages");

        Assert.Equal((0, ""), (exitCode, error));
        Assert.All(Stage.All(), stage => Assert.Contains(stage.Title, output, StringComparison.Ordinal));
        Assert.Matches("4-long .* no ", output);
        Assert.Contains("as the first half of 5-long", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stage_shows_its_knobs_at_both_lengths_what_it_changes_and_what_happens_only_to_who_asks_for_it()
    {
        var (_, changed, _) = await LabInMemory.TypeAsync("stages", "5");
        var (_, first, _) = await LabInMemory.TypeAsync("stages", "1");
        var (_, question, _) = await LabInMemory.TypeAsync("stages", "4");
        var (_, spoiled, _) = await LabInMemory.TypeAsync("stages", "4", "--spoil");

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
        AssertHas(spoiled, "The first lock is lost after 8.75 s.", "4-telemetry");
    }
}
