namespace DroneDelivery.Model.Tests.Queue;

public sealed class CreditLotsTests
{
    [Theory]
    [InlineData(300, 100)]
    [InlineData(60, 40)]
    [InlineData(4, 2)]
    public void Settled_messages_are_granted_again_in_lots(int prefetch, int lot)
    {
        var log = new EventLog();

        Simulator.Run(Settings.Backlogged with { Handling = new(4, prefetch) }, 3, log);

        int[] handedOut =
        [
            .. log
                .Lines.Where(line => line.Contains("to receiver", StringComparison.Ordinal))
                .CountBy(line => line[..line.IndexOf(' ', StringComparison.Ordinal)])
                .Select(moment => moment.Value),
        ];
        Assert.Equal(prefetch, handedOut[0]);
        Assert.True(handedOut.Length > 10);
        Assert.All(handedOut.Skip(1), count => Assert.Equal(lot, count));
    }
}
