namespace DroneDelivery.Amqp.Tests.Engine;

/// <summary>A server has many connections on which nothing happens.</summary>
public sealed class IdleMemoryTests
{
    [Fact]
    public async Task A_connection_with_nothing_to_say_keeps_no_buffer()
    {
        await using var pair = await Pair.OpenAsync();
        var link = await pair.SenderAsync();
        var outbox = (await pair.Server.Connection).Outbox;
        for (var round = 0; round < 2; round++)
        {
            Assert.Same(Accepted.Instance, await link.SendAsync(new byte[100], 0, settled: false, Limit.Token));
            await Eventually.TrueAsync(() => pair.Client.Outbox.Capacity == 0 && outbox.Capacity == 0);
        }
    }
}
