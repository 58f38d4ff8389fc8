namespace DroneDelivery.Lab.Tests.Stages;

public sealed class StoryTests
{
    [Fact]
    public void Keyword_all_selects_the_default_stages()
    {
        var plan = Plan(["all"]);

        Assert.Equal(["1", "2", "3", "4", "5", "5-long", "6-long"], plan.Played.Select(stage => stage.Stage.Id));
        Assert.Equal(["5-clean", "6"], plan.Halves.Select(stage => stage.Stage.Id));
        // 60 s of load each and 120 s for the long ones; 5, 5, 12.5, and 30 s after it, and up to 60 s until the queue
        // is empty.
        Assert.Equal(60 * 5 + 120 * 2 + 5 * 2 + 12.5 + 30 + 60 * 3, plan.Played.Sum(stage => stage.TotalSeconds));
    }

    [Theory]
    [InlineData("2 1", "1 2", "")]
    [InlineData("5 4 5-long", "4 5 5-long", "5-clean")]
    [InlineData("6", "6", "")]
    [InlineData("6 6-long", "6-long", "6")]
    [InlineData("5-clean", "5-clean", "")]
    [InlineData("4-long", "4-long", "")]
    [InlineData("2 2", "2", "")]
    public void Stages_run_in_their_default_order(string asked, string played, string halves)
    {
        var plan = Plan(asked.Split(' '));

        Assert.Equal(played, string.Join(' ', plan.Played.Select(stage => stage.Stage.Id)));
        Assert.Equal(halves, string.Join(' ', plan.Halves.Select(stage => stage.Stage.Id)));
    }

    [Fact]
    public void Half_differs_from_its_stage_only_in_the_load_duration()
    {
        foreach (var half in Stage.All().Where(stage => stage.HalfOf is not null))
        {
            var whole = Stage.Load(half.HalfOf!);
            Assert.Equal((half.Profile, half.Environment, half.Start), (whole.Profile, whole.Environment, whole.Start));
            Assert.Equal(960, whole.Knobs.Number("load.duration", 0));
            Assert.Equal(
                Shown(half.Knobs),
                Shown(whole.Knobs).Where(knob => !knob.StartsWith("load.duration", StringComparison.Ordinal))
            );
        }
    }

    [Fact]
    public void Initial_queue_length_is_a_setting()
    {
        var plan = Plan(["4"], "queue.messagesAtStart=8000").Played.Single();

        Assert.Equal(1000, plan.MessagesAtStart);
    }

    private static IEnumerable<string> Shown(KnobSet knobs) =>
        knobs.All.Select(set => $"{set.Knob.Name}={set.Knob.Show(set.Value)}");

    private static RunPlan Plan(string[] ids, params string[] knobs) =>
        RunPlan.Of(
            ids,
            new(
                RunOptions.Quick,
                KnobSet.Parse(knobs),
                Environment: null,
                Folder: "",
                new Ports(0),
                Seed: 1,
                Open: false
            )
        );
}
