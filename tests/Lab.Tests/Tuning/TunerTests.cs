using System.Text.Json;
using DroneDelivery.Lab.Commands;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Lab.Tuning;

namespace DroneDelivery.Lab.Tests.Tuning;

public sealed class TunerTests
{
    [Theory]
    [InlineData(10)] // in the middle of its first simulation
    [InlineData(200_000)] // after some
    public void A_search_that_is_broken_off_says_that_nobody_knows_and_not_that_it_is_impossible(long most)
    {
        var goal = new Goal(80, NoLoss: true, DrainSeconds: 0.01);

        var tuned = new Tuner(Setup(goal) with { MostEvents = most }, goal, new Progress<string>(), TestContext.Current.CancellationToken)
            .Search();

        Assert.Null(tuned.Found);
        Assert.Null(tuned.IsPossible);
        Assert.StartsWith("The search ended at its limit", tuned.Because, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_infinite_or_unknown_is_null_in_JSON()
    {
        var goal = new Goal(80, NoLoss: true, DrainSeconds: 0.01);
        var tuned = new Tuner(Setup(goal) with { MostEvents = 10 }, goal, new Progress<string>(), TestContext.Current.CancellationToken)
            .Search();
        var lab = new LabTrial(new(5, 5, 0, 0, 0, double.PositiveInfinity, double.NaN), [], null, "");

        var trial = JsonDocument.Parse(TuneJson.Of(tuned, lab, null)).RootElement.GetProperty("lab").GetProperty("trial");

        Assert.Equal(5, trial.GetProperty("completed").GetDouble());
        Assert.Equal(JsonValueKind.Null, trial.GetProperty("drainSeconds").ValueKind);
        Assert.Equal(JsonValueKind.Null, trial.GetProperty("busiestNode").ValueKind);
    }

    [Theory]
    [InlineData(60, 480)]
    [InlineData(600, 720)]
    [InlineData(3600, 4320)]
    public void A_queue_is_watched_for_longer_than_a_goal_allows_it_to_last(double drain, double seconds)
    {
        var setup = Setup(new Goal(20, NoLoss: false, drain));

        Assert.Equal(seconds, setup.Start.ObserveSeconds * setup.Start.K);
    }

    private static TuneSetup Setup(Goal goal)
    {
        var options = new RunOptions(RunOptions.Quick, KnobSet.Empty, null, "", new Ports(0), 1, Open: false);
        return TuneSetup.Of(Stage.Load("2"), goal, KnobSet.Empty, options, environment: null);
    }
}
