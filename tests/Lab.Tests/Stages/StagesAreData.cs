using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Tests.Stages;

public sealed class StagesAreData
{
    public static TheoryData<string> Ids => [.. Stage.All().Select(stage => stage.Id)];

    [Theory, MemberData(nameof(Ids))]
    public void Whatever_a_stage_names_exists(string id)
    {
        var stage = Stage.Load(id);

        Assert.NotNull(StepProfile.Load(stage.Profile));
        Assert.NotNull(DeclaredEnvironment.Load(stage.Environment));
        Assert.All(stage.Predictions.Keys.Concat(stage.Checks.Select(check => check.Figure)), figure => FigureTable.Find(figure));
        Assert.Distinct(stage.Checks.Select(check => check.Id));
    }

    [Fact]
    public void Stage_2_has_the_published_settings()
    {
        var knobs = Stage.Load("2").Knobs;

        Assert.Equal(1, knobs.Number("workflow.maxConcurrentCalls", 0));
        Assert.Equal(0, knobs.Number("workflow.prefetchCount", -1));
        Assert.Equal(60, knobs.Number("queue.lockDuration", 0));
        Assert.Equal(3, knobs.Number("queue.maxDeliveryCount", 0));
        Assert.Equal("DeadLetter", knobs["workflow.failurePolicy"]!.Word);
        Assert.Equal(7.5, knobs.Shorten(8).Number("queue.lockDuration", 0));
    }

    [Fact]
    public void An_unknown_stage_is_refused_with_those_there_are()
    {
        var refusal = Assert.Throws<BadInputException>(() => Stage.Load("7"));
        Assert.StartsWith("7 is not a stage.", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("""{ "name": "x", "latencies": {} }""")]
    [InlineData("""{ "name": "x" }""")]
    [InlineData("""{ "name": """)]
    public void A_file_with_an_unknown_missing_or_broken_field_is_refused_with_its_name(string json)
    {
        var refusal = Assert.Throws<BadInputException>(() => LabFile.Parse<DeclaredEnvironment>(json, "loadtest/environments/x.json"));
        Assert.StartsWith("loadtest/environments/x.json: ", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_environment_has_the_published_mean_latencies() =>
        Assert.Equal(185.7, DeclaredEnvironment.Load("azure-2020").Latency.Values.Sum(latency => latency.Mean), 0.1);
}
