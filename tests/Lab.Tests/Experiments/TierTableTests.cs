namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary>Which tier of a gateway is the cheapest that manages a rate.</summary>
public sealed class TierTableTests
{
    private static readonly Tier[] Tiers = [new("Basic", 100, 1000, 2), new("Standard", 450, 2500, 4), new("Premium", 2000, 4000, 3)];

    // Basic, with its two servers, manages exactly the published 1,000.
    private static readonly PolicyCost AsPublished = new(Answer: 2, Forward: 0, Body: 0, Validate: 0);

    [Theory]
    [InlineData(1, "1 × Basic, €100.00")]
    [InlineData(1000, "1 × Basic, €100.00")]
    [InlineData(1001, "2 × Basic, €200.00")]
    [InlineData(2001, "1 × Standard, €450.00")]
    [InlineData(10000, "4 × Standard, €1,800.00")]
    [InlineData(10001, "3 × Premium, €6,000.00")]
    [InlineData(12001, null)]
    public void It_is_the_cheapest_of_those_that_manage_the_rate(double wanted, string? expected) =>
        Assert.Equal(expected, new TierTable(Tiers, 2, mostBusy: 1).Cheapest(wanted, AsPublished)?.ToString());
}
