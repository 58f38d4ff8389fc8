using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Tuning;

public sealed class TunerTests
{
    [Theory]
    [InlineData(10)] // During the first simulation.
    [InlineData(200_000)] // After some simulations.
    public void Interrupted_search_reports_an_unknown_result(long most)
    {
        var goal = Goal.Of(80, noLoss: true, drainSeconds: 0.01);

        var stage = StageOf(goal);

        var tuned = new Tuner(stage, goal, seed: 1, new Progress<string>(), Cancel) { MaxEvents = most }.Search();

        Assert.Null(tuned.Found);
        Assert.True(tuned.IsExhausted);
        Assert.Contains("\"possible\": null", TuneTable.Json(stage, tuned), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(60, 480)]
    [InlineData(600, 720)]
    [InlineData(3600, 4320)]
    public void Queue_is_observed_longer_than_the_drain_goal(double drain, double seconds)
    {
        var start = StageOf(Goal.Of(20, drainSeconds: drain)).Start;

        Assert.Equal(seconds, start.ObserveSeconds * start.K);
    }

    [Fact]
    public void Redis_has_room_only_for_the_deliveries_of_the_goal()
    {
        var goal = Goal.Of(8, noLoss: true);
        var stage = StageOf(goal, "1", "nodes.count=4", "workflow.replicas=2");

        var tuned = new Tuner(stage, goal, seed: 1, new Progress<string>(), Cancel).Search();

        // At least 2,800 deliveries arrive, and the search starts with room for twice as many.
        Assert.InRange(tuned.Found!["redis.deliveriesThatFit"], 2800, 5600);
        var less = tuned.Smaller.Single(it =>
            it.Change.StartsWith("redis.deliveriesThatFit=", StringComparison.Ordinal)
        );
        Assert.Contains("http.5xx", less.Judgment.Why, StringComparison.Ordinal);
    }

    [Fact]
    public void Drain_of_a_shortened_run_is_multiplied_by_k()
    {
        var measured = new ComputedStage("2") { Capacity = 70 }.Measure();

        var figures = Goal.FiguresOf(
            figure => figure == "drain" ? FigureTable.Find(figure).Of(measured) : double.NaN,
            k: 8
        );

        Assert.Equal(measured.Drain * 8, figures["drain"]);
    }

    [Fact]
    public void Queue_that_never_drains_misses_the_drain()
    {
        var goal = Goal.Of(5, drainSeconds: 60);
        var figures = Goal.FiguresOf(figure => figure == "drain" ? double.NaN : 5, k: 1);

        Assert.Equal("drain –, expected ≤ 60s", Assert.Single(goal.MissesOf(figures)));
    }

    private static TunedStage StageOf(Goal goal, string stage = "2", params string[] knobs)
    {
        var options = new RunOptions(RunOptions.Quick, KnobSet.Empty, null, "", new Ports(0), 1, Open: false);
        return TunedStage.Of(Stage.Load(stage), goal, KnobSet.Parse(knobs), options);
    }
}
