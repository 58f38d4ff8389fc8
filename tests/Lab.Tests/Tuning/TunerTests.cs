using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Tuning;

public sealed class TunerTests
{
    private static readonly PriceFile Prices = PriceFile.Load(PriceFile.Default);

    [Theory]
    [InlineData(10)] // in the middle of its first simulation
    [InlineData(200_000)] // after some
    public void A_search_that_is_broken_off_says_that_nobody_knows_and_not_that_it_is_impossible(long most)
    {
        var goal = new Goal(80, NoLoss: true, DrainSeconds: 0.01);

        var tuned = new Tuner(Setup(goal) with { MostEvents = most }, goal, new Progress<string>(), Cancel).Search();

        Assert.Null(tuned.Found);
        Assert.Null(tuned.IsPossible);
        Assert.StartsWith("The search ended at its limit", tuned.Because, StringComparison.Ordinal);
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

    [Theory]
    [InlineData(0.1, 1, true)]
    [InlineData(1, 0.1, false)] // the smaller one costs more
    public void What_is_cheaper_is_cheaper_in_money(double small, double large, bool isCheaper)
    {
        var goal = new Goal(8, NoLoss: true, DrainSeconds: null);
        // About 3,100 deliveries fit into the smaller one.
        var redis = Prices.Redis with { Sizes = [new("small", 0.08, small), new("large", 1, large)] };
        var setup = Setup(goal, "1", new(Prices with { Redis = redis }), "nodes.count=4", "workflow.replicas=2");

        var tuned = new Tuner(setup, goal, new Progress<string>(), Cancel).Search();

        Assert.Equal(5600, tuned.Found!.Fits);
        Assert.Equal(isCheaper, tuned.Cheaper.Any(it => it.Candidate.Fits == 2800));
        Assert.All(tuned.Cheaper, it => Assert.InRange(it.PerMonth, 0, tuned.Cost!.PerMonth));
    }

    [Fact]
    public void Money_is_compared_before_nodes_and_replicas_are_counted()
    {
        var goal = new Goal(30, NoLoss: true, DrainSeconds: null);
        var setup = Setup(goal, "1", new(Prices));

        var tuned = new Tuner(setup, goal, new Progress<string>(), Cancel).Search();

        // Half of Redis is a smaller size; fewer replicas cost the same.
        var (cheaper, found) = (tuned.Cheaper.Index().ToList(), tuned.Found!);
        var redis = cheaper.Single(it => it.Item.Candidate.Fits == found.Fits / 2);
        var replicas = cheaper.Last(it =>
            it.Item.Candidate is var less && less.Nodes == found.Nodes && less.Replicas < found.Replicas
        );
        Assert.Equal(tuned.Cost!.PerMonth, replicas.Item.PerMonth);
        Assert.InRange(redis.Item.PerMonth, 0, replicas.Item.PerMonth - 1);
        Assert.InRange(redis.Index, replicas.Index + 1, cheaper.Count);
    }

    private static TuneSetup Setup(Goal goal) => Setup(goal, "2", new(Prices));

    private static TuneSetup Setup(Goal goal, string stage, Budget budget, params string[] knobs)
    {
        var options = new RunOptions(RunOptions.Quick, KnobSet.Empty, null, "", new Ports(0), 1, Open: false);
        return TuneSetup.Of(Stage.Load(stage), goal, KnobSet.Parse(knobs), options, environment: null, budget);
    }
}
