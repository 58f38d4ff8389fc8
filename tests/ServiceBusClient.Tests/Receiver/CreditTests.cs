namespace Azure.Messaging.ServiceBus.Tests.Receiver;

public sealed class CreditTests
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(3, 2)]
    [InlineData(20, 13)]
    [InlineData(150, 100)]
    [InlineData(375, 100)]
    [InlineData(3000, 100)]
    [InlineData(int.MaxValue, 100)]
    public void Prefetch_grants_in_lots_of_two_thirds_and_at_most_100(int prefetchCount, int lot)
    {
        var credit = new PrefetchCredit(prefetchCount);

        for (var round = 0; round < 3; round++)
        {
            for (var settled = 1; settled < lot; settled++)
                Assert.Equal(0, credit.OnSettled());
            Assert.Equal(lot, credit.OnSettled());
        }
    }

    [Fact]
    public void What_was_too_much_under_a_higher_count_makes_no_room()
    {
        var credit = new PrefetchCredit(3, tooMany: 4);

        Assert.Equal([0, 0, 0, 0, 0, 2, 0, 2], Enumerable.Range(0, 8).Select(_ => credit.OnSettled()));
    }

    [Theory]
    [InlineData(1, 0, 0, 1)]
    [InlineData(1, 0, 1, 0)]
    [InlineData(5, 0, 3, 2)]
    [InlineData(0, 50, 10, 40)]
    [InlineData(2, 50, 60, 0)]
    [InlineData(300, 0, 0, 200)]
    [InlineData(40, 0, 30, 0)]
    [InlineData(40, 0, 20, 20)]
    [InlineData(40, 0, 0, 40)]
    [InlineData(20, 0, 15, 5)]
    [InlineData(21, 0, 15, 0)]
    [InlineData(200, 5, 0, 205)]
    [InlineData(30, 1, 25, 6)]
    [InlineData(1, int.MaxValue, 0, int.MaxValue)]
    [InlineData(1, 2L * int.MaxValue, 5, int.MaxValue - 5)]
    [InlineData(0, int.MaxValue, -1, int.MaxValue)]
    public void Without_prefetch_credit_follows_the_waiting_receives(int singles, long batched, int credit, int granted) =>
        Assert.Equal(granted, DemandCredit.Missing(singles, batched, credit));

    [Fact]
    public void Receives_of_many_are_counted_together()
    {
        var waiting = new WaitingReceives();

        waiting.Add(int.MaxValue);
        waiting.Add(int.MaxValue);

        Assert.Equal(2L * int.MaxValue, waiting.Batched);
    }
}
