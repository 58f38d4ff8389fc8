using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Tuning;

public sealed class LabTrialTests
{
    private static readonly Goal Goal = Goal.Of(5, noLoss: true);
    private static readonly RunRecord Run = PlayedByArithmetic.Run("run 2");
    private static readonly Dictionary<string, double> Good = [];

    [Fact]
    public void Run_below_the_goal_fails_with_the_figure_that_misses()
    {
        var trial = LabTrial.Of(Run, Goal.Of(80, noLoss: true), "");

        Assert.True(LabTrial.Of(Run, Goal, "").Holds);
        Assert.False(trial.Holds);
        Assert.Contains(trial.Misses, miss =>
            Regex.IsMatch(miss, @"^completed\.plateau [\d.]+/s, expected ≥ 77\.6/s$")
        );
    }

    [Theory]
    [InlineData("incoming.plateau")]
    [InlineData("completed.plateau")]
    [InlineData("redelivered")]
    [InlineData("deadLettered.final")]
    [InlineData("http.5xx")]
    public void Without_a_figure_that_the_goal_needs_the_lab_cannot_tell(string figure)
    {
        var stage = Run.Stages[0];
        var without = stage with { Figures = stage.Figures.Where(it => it.Key != figure).ToDictionary() };
        var figures = new Dictionary<string, FigureRecord>(stage.Figures) { [figure] = new(double.NaN, "", null, "") };
        var unknown = stage with { Figures = figures };

        foreach (var record in (StageRecord[])[without, unknown])
        {
            var trial = LabTrial.Of(Run with { Stages = [record] }, Goal, "");
            Assert.Equal((false, $"{figure} is not known."), (trial.Holds, trial.Void));
        }
    }

    [Theory]
    [InlineData(Outcomes.Void)]
    [InlineData(Outcomes.Incomplete)]
    public void A_run_that_was_spoiled_says_nothing(string outcome)
    {
        var stage = Run.Stages[0] with { Outcome = outcome, Reason = "the machine was busy" };
        var trial = LabTrial.Of(Run with { Stages = [stage] }, Goal, "");

        Assert.Equal((false, "the machine was busy"), (trial.Holds, trial.Void));
    }

    [Fact]
    public void A_queue_that_did_not_become_empty_misses_a_drain_and_nothing_else()
    {
        var figures = Run.Stages[0].Figures.Where(it => it.Key != "drain").ToDictionary();
        var record = Run with { Stages = [Run.Stages[0] with { Figures = figures }] };

        Assert.True(LabTrial.Of(record, Goal, "").Holds);
        var misses = LabTrial.Of(record, Goal.Of(5, noLoss: true, drainSeconds: 60), "").Misses;
        Assert.Equal("drain –, expected ≤ 60s", Assert.Single(misses));
    }

    [Fact]
    public void Drain_of_a_shortened_run_is_multiplied_by_k()
    {
        var measured = new Imitation("2") { Capacity = 70 }.Measure();

        var figures = Goal.FiguresOf(
            figure => figure == "drain" ? FigureTable.Find(figure).Of(measured) : double.NaN,
            k: 8
        );

        Assert.Equal(measured.Drain * 8, figures["drain"]);
    }

    [Fact]
    public void The_exit_code_is_0_only_if_the_lab_says_what_the_model_says()
    {
        var fails = new LabTrial(Good, ["redelivered 3, expected ≤ 0"], null, "");
        LabTrial holds = new(Good, [], null, ""),
            spoiled = new(null, [], "busy", "");

        Assert.Equal(ExitCode.Held, TuneCommand.ExitCodeOf(isFound: true, verifies: false, lab: null));
        Assert.Equal(ExitCode.Failed, TuneCommand.ExitCodeOf(isFound: false, verifies: false, lab: null));
        Assert.Equal(ExitCode.Held, TuneCommand.ExitCodeOf(isFound: true, verifies: true, holds));
        Assert.Equal(ExitCode.Failed, TuneCommand.ExitCodeOf(isFound: true, verifies: true, fails));
        Assert.Equal(ExitCode.Failed, TuneCommand.ExitCodeOf(isFound: true, verifies: true, spoiled));
    }
}
