using DroneDelivery.Lab.Predict;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Tests.Commands;

public sealed class SimulateCommandTests
{
    [Fact]
    public async Task Simulation_is_shown_with_published_ranges()
    {
        var (code, output, _) = await LabInMemory.InvokeAsync("simulate", "2", "--repeat", "3");

        Assert.Equal(0, code);
        Assert.Contains("Stage 2: Larger cache", output, StringComparison.Ordinal);
        Assert.Matches(@"inOut\.plateau.*6\.\d+.*2b: ≥ 5", output);
        Assert.Matches(@"completed\.plateau.*1[12]\.\d/s.*1[12]\.\d–1[23]", output);
    }

    [Fact]
    public async Task JSON_output_has_the_format_of_a_run()
    {
        var run = await LabInMemory.JsonAsync("simulate", "5", "6");

        Assert.Equal(RunRecord.CurrentSchema, run.GetProperty("schema").GetInt32());
        var stages = run.GetProperty("stages")
            .EnumerateArray()
            .ToDictionary(stage => stage.GetProperty("stage").GetString()!);
        Assert.Equal(["5", "6"], stages.Keys);
        var figure = stages["6"].GetProperty("figures").GetProperty("completed.plateau");
        Assert.InRange(figure.GetProperty("value").GetDouble(), 78, 82);
        Assert.InRange(figure.GetProperty("predicted").GetDouble(), 79, 81);
    }

    [Fact]
    public async Task Settings_without_effect_on_the_model_are_listed()
    {
        var (_, output, _) = await LabInMemory.InvokeAsync("simulate", "2", "--set", "workflow.supervisor=on");

        AssertHas(
            output,
            "The model doesn't simulate workflow.supervisor",
            "The knobs differ from the published stages"
        );
    }

    [Fact]
    public void Simulated_users_send_at_the_times_of_the_load_generator()
    {
        var stage = Stage.Load("2");
        var plan = StagePlan.Of(stage, new(RunOptions.Quick, KnobSet.Empty, null, "", new(0), 7, false));
        var setting = SimulatedSetting.Of(plan) with { SampleSeconds = 0.001, ObserveSeconds = 1 };
        var pace = new UserPace(plan.Profile, 7, user: 0);

        var alone = setting with { Users = setting.Users with { Most = 1, Start = 1 }, Ingestion = new([0]) };
        var times = Simulator
            .Run(alone, seed: 7)
            .Samples.GroupBy(moment => moment.Queue.Incoming)
            .Skip(1)
            .Select(it => it.First().At);

        var expected = 0.0;
        foreach (var at in times.Take(20))
        {
            Assert.Equal(expected, at, 0.0021);
            expected += pace.Next().TotalSeconds;
        }
    }
}
