using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Stages;

public sealed class StageFileTests
{
    [Theory]
    [InlineData("2", 1, true)]
    [InlineData("2", 8, true)]
    [InlineData("5", 1, true)]
    [InlineData("5", 8, false)]
    public void Peak_of_a_shortened_run_is_predicted_only_if_reliable(string stage, double k, bool isPredicted) =>
        Assert.Equal(isPredicted, Stage.Load(stage).Prediction("completed.peak", k) is not null);

    [Theory]
    [InlineData("""{ "name": "x", "latencies": {} }""")]
    [InlineData("""{ "name": "x" }""")]
    [InlineData("""{ "name": "x", "name": "x" }""")]
    [InlineData("""{ "name": """)]
    public void File_with_an_unknown_or_missing_field_is_rejected(string json)
    {
        var refusal = Assert.Throws<BadInputException>(() =>
            LabFile.Parse<DeclaredEnvironment>(json, "loadtest/environments/x.json")
        );
        Assert.StartsWith("loadtest/environments/x.json, line 1: ", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_setting_that_is_given_twice_is_rejected_with_its_line()
    {
        const string Twice = "{ \"queue.lockDuration\": \"1s\",\n \"queue.lockDuration\": \"2s\" }";

        var rejection = Assert.Throws<BadInputException>(() => LabFile.Parse<KnobSet>(Twice, "loadtest/stages/x.json"));

        Assert.StartsWith("loadtest/stages/x.json, line 2: ", rejection.Message, StringComparison.Ordinal);
        Assert.EndsWith("duplicate field queue.lockDuration.", rejection.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Unknown_metric_or_stage_is_rejected_with_a_suggestion()
    {
        var stage = Stage.Load("1");
        var check = stage.Checks[0];

        AssertRejected(
            stage with
            {
                Checks = [check with { Figure = "outgoing.platau" }],
            },
            "stage 1: outgoing.platau is not a figure. Did you mean outgoing.plateau"
        );
        AssertRejected(stage with { Predicted = ["drian"] }, "stage 1: drian is not a figure.");
        AssertRejected(
            stage with
            {
                Checks = [check with { RelativeTo = "22" }],
            },
            "stage 1: 22 is not a stage for relativeTo."
        );
        AssertRejected(
            stage with
            {
                HalfOf = "5-lang",
            },
            "stage 1: 5-lang is not a stage for halfOf. Did you mean 5-long"
        );
    }

    [Fact]
    public void Stage_inherits_the_settings_that_it_does_not_change()
    {
        var third = Stage.Load("3");

        Assert.Equal("2", third.BasedOn!.Id);
        Assert.Equal(
            [
                ("seconds after the load", "40", "100"),
                ("delivery.replicas", "3", "6"),
                ("dronescheduler.replicas", "3", "6"),
                ("package.replicas", "3", "6"),
            ],
            third.Changes
        );
        Assert.Equal((third.Profile, third.Start), (Stage.Load("1").Profile, Stage.Load("1").Start));
        Assert.Contains(("messages at the start", "0", "20000"), Stage.Load("4").Changes);
    }

    [Fact]
    public void Invalid_base_or_repeated_field_is_rejected()
    {
        var whole = FileOf("1") with { Profile = "p", Environment = "e", Start = new(0), Observe = new(60, false) };
        var knobs = KnobSet.Parse(["queue.lockDuration=60"]);

        AssertRejected("stage 1: basedOn is circular: 1, 2, 1.", whole with { BaseId = "2" }, FileOf("2", "1"));
        AssertRejected("stage 2: first is not a stage for basedOn. There are: 1, 2.", whole, FileOf("2", "first"));
        AssertRejected("stage 2: profile is missing, also in the stage that it is based on.", whole, FileOf("2"));
        AssertRejected(
            "stage 2: start is the same in stage 1: omit it.",
            whole,
            FileOf("2", "1") with
            {
                Start = new(0),
            }
        );
        AssertRejected(
            "stage 3: knob queue.lockDuration is the same in stage 2: omit it.",
            whole with
            {
                Knobs = knobs,
            },
            FileOf("2", "1"),
            FileOf("3", "2") with
            {
                Knobs = knobs,
            }
        );
    }

    [Theory]
    [InlineData("\"count\": 6", "\"count\": 0", "nodes.count")]
    [InlineData("\"vCpu\": 2", "\"vCpu\": 0", "nodes.vCpu")]
    [InlineData("\"everyMilliseconds\": 100", "\"everyMilliseconds\": 0", "nodes.system.everyMilliseconds")]
    [InlineData("\"jobMilliseconds\": 16", "\"jobMilliseconds\": 200", "nodes.system.jobMilliseconds")]
    [InlineData("\"workflow\": 60, ", "", "nodes.cpuMilliseconds.workflow")]
    [InlineData("\"delivery\": { \"mu\"", "\"delivry\": { \"mu\"", "latency.delivry")]
    public void Invalid_environment_is_rejected_with_its_field(string published, string changed, string field)
    {
        var json = File.ReadAllText(Path.Combine(Repository.Root, "loadtest", "environments", "azure-2020.json"))
            .Replace(published, changed, StringComparison.Ordinal);

        var refusal = Assert.Throws<BadInputException>(() =>
            LabFile.Parse<DeclaredEnvironment>(json, "azure-2020.json").Valid()
        );

        Assert.StartsWith($"environment azure-2020: {field} ", refusal.Message, StringComparison.Ordinal);
    }

    private static Stage FileOf(string id, string? basedOn = null) =>
        new()
        {
            Id = id,
            Title = "",
            Question = "",
            Change = "",
            BaseId = basedOn,
            Checks = [],
            Predicted = [],
            Notes = [],
        };

    private static void AssertRejected(string message, params Stage[] files) =>
        Assert.Equal(message, Assert.Throws<BadInputException>(() => StageBase.Resolve(files)).Message);

    private static void AssertRejected(Stage stage, string message)
    {
        var refusal = Assert.Throws<BadInputException>(() =>
            Stage.Valid([stage, .. Stage.All().Where(other => other.Id != stage.Id)])
        );

        Assert.StartsWith(message, refusal.Message, StringComparison.Ordinal);
    }
}
