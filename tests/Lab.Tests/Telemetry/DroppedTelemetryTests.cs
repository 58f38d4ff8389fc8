namespace DroneDelivery.Lab.Tests.Telemetry;

[Trait("tier", "slow")]
public sealed class DroppedTelemetryTests
{
    [Fact]
    public async Task Refused_items_are_counted_on_both_sides()
    {
        // A key of another run.
        await using var observed = await ObservedApplication.StartAsync(
            DeclaredEnvironment.None,
            connection => connection.Replace("InstrumentationKey=", "InstrumentationKey=0", StringComparison.Ordinal));
        await observed.SendAsync(5);
        await observed.Running.StopAsync();

        var tally = observed.Tally();
        var counts = observed.Collector.Counts;
        Assert.Equal((0, tally.Sent), (counts.Kept, counts.Received));
        Assert.Equal(tally.Sent, counts.Refused[RefusalReason.OtherInstrumentationKey]);
        Assert.Equal((0, tally.Sent, 0), (tally.Kept, tally.Refused, tally.Lost));
        Assert.True(tally.Sent > 5 * 11, $"{tally.Sent}");
    }

    [Fact]
    public async Task A_collector_that_is_gone_hurts_nobody_and_the_loss_is_said()
    {
        await using var observed = await ObservedApplication.StartAsync();
        await observed.Collector.DisposeAsync();
        var before = observed.Collector.Counts.Kept; // of the start, if anything; not all of them may know it

        Assert.Equal(20, (await observed.SendAsync(20)).Count);
        await observed.Running.StopAsync();

        var tally = observed.Tally();
        Assert.InRange(tally.Kept, 0, before);
        Assert.Equal((0, tally.Sent - tally.Kept), (tally.Refused, tally.Lost));
        Assert.True(tally.Lost > 20 * 11, $"{tally.Lost}");
        Assert.Single(observed.Running.Log("delivery-0"), line => line.Contains("cannot be reached", StringComparison.Ordinal));
    }
}
