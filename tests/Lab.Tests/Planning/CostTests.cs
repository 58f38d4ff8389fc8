using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Planning;

public sealed class CostTests
{
    private static readonly PriceFile Prices = PriceFile.Load(PriceFile.Default);

    [Theory]
    [InlineData("nodes.count=6", "6 × D2s v5 + 2 × D4s v5", 6 * 0.096 + 2 * 0.192)]
    [InlineData("nodes.vCpu=3", "6 × D4s v5 + 2 × D4s v5", 8 * 0.192)]
    [InlineData("nodes.vCpu=64", "6 × D32s v5 + 2 × D4s v5", 6 * 3.072 + 2 * 0.192)]
    public void Nodes_are_of_the_smallest_size_with_enough_CPUs(string knob, string what, double perHour)
    {
        var line = Of(80, knob).Lines.Single(it => it.Part == "nodes");

        Assert.Equal(what, line.What);
        Assert.Equal(perHour * Prices.HoursPerMonth, line.PerMonth, 6);
    }

    [Theory]
    [InlineData(1, 10)] // 7.9 million operations are in the price of the month
    [InlineData(10, 10 + 0.8 * (78.84 - 13))]
    [InlineData(80, 10 + 0.8 * 87 + 0.5 * (630.72 - 100))]
    public void Operations_of_the_Service_Bus_have_steps(double rate, double perMonth) =>
        Assert.Equal(perMonth, Of(rate).Lines.Single(it => it.Part == "Service Bus").PerMonth, 6);

    [Fact]
    public void More_operations_than_Standard_takes_need_Premium()
    {
        Assert.StartsWith(
            "Standard",
            Of(333).Lines.Single(it => it.Part == "Service Bus").What,
            StringComparison.Ordinal
        );
        Assert.StartsWith(
            "Premium",
            Of(334).Lines.Single(it => it.Part == "Service Bus").What,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData("Managed Redis B0", "redis.deliveriesThatFit=1400")]
    [InlineData("Managed Redis B1", "redis.deliveriesThatFit=30000")]
    [InlineData("Managed Redis B3", "redis.deliveriesThatFit=100000")]
    // 69 million deliveries of 21,035 bytes.
    [InlineData(
        "71 × Managed Redis B20 for 1,354 GB",
        "redis.deliveriesThatFit=0",
        "redis.maxMemory=0",
        "redis.keyTimeToLive=864000"
    )]
    public void Redis_is_of_the_smallest_size_whose_usable_memory_is_enough(string size, params string[] knobs) =>
        Assert.StartsWith(size, Of(80, knobs).Lines.Single(it => it.Part == "Redis").What, StringComparison.Ordinal);

    [Fact]
    public void A_shortened_run_costs_the_same() => Assert.Equal(Of(80, 1).PerMonth, Of(80, 8).PerMonth, 0.01);

    [Fact]
    public void A_file_with_which_nothing_can_be_computed_is_refused_with_the_field()
    {
        Refuses("hoursPerMonth", Prices with { HoursPerMonth = 0 });
        Refuses("nodes.sizes", Prices with { Nodes = Prices.Nodes with { Sizes = [.. Prices.Nodes.Sizes.Reverse()] } });
        Refuses("systemNodeSize", Prices with { Cluster = Prices.Cluster with { SystemNodeSize = "D2" } });
        Refuses("redis.usableShare", Prices with { Redis = Prices.Redis with { UsableShare = 2 } });
        Refuses(
            "fromMillions has to be above 0",
            Prices with
            {
                ServiceBus = Prices.ServiceBus with
                {
                    Standard = Prices.ServiceBus.Standard with { PerMillionOperations = [new(0, 1), new(5, 0.5)] },
                },
            }
        );
        Refuses("negative", Prices with { Rest = Prices.Rest with { PerHour = -1 } });
    }

    private static void Refuses(string field, PriceFile file) =>
        Assert.Contains(field, Assert.Throws<BadInputException>(() => file.Valid()).Message, StringComparison.Ordinal);

    private static Cost Of(double rate, params string[] knobs) => Cost.Of(PlanOf(1, knobs), rate, Prices);

    private static Cost Of(double rate, double k) => Cost.Of(PlanOf(k), rate, Prices);

    private static StagePlan PlanOf(double k, params string[] knobs) =>
        StagePlan.Of(Stage.Load("1"), new(k, KnobSet.Parse(knobs), null, "", new(0), 1, false));
}
