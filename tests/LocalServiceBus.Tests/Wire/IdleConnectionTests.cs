using DroneDelivery.Amqp.Tests.Support;
using DroneDelivery.LocalServiceBus.Tests.Entities;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Clients that wait for messages cost the broker little memory, however many there are.</summary>
[Collection(nameof(MemoryTests))]
public sealed class IdleConnectionTests : FrontEndTest
{
    public IdleConnectionTests() : base(TimeProvider.System) => _entities.Create(new QueueOptions("orders"));

    [Fact]
    public async Task Ten_receivers_with_sessions_of_their_own_take_less_than_50_KB()
    {
        await ConnectAsync(); // what is made once
        var each = await MemoryOfOneAsync();
        // What else the process keeps or lets go meanwhile is in the figure too, but not every time.
        for (var again = 0; again < 4 && each is < 1 or >= 50_000; again++)
            each = await MemoryOfOneAsync();
        Assert.InRange(each, 1, 50_000);
    }

    private async Task<long> MemoryOfOneAsync()
    {
        const int Connections = 50;
        var before = GC.GetTotalMemory(forceFullCollection: true);
        for (var i = 0; i < Connections; i++)
            await ConnectAsync();
        return (GC.GetTotalMemory(forceFullCollection: true) - before) / Connections;
    }

    /// <summary>As SDKs do, with names of their length.</summary>
    private async Task ConnectAsync()
    {
        var peer = Dial();
        await peer.OpenAsync();
        for (ushort channel = 0; channel < 10; channel++)
        {
            await peer.BeginAsync(channel);
            await peer.SendAsync(
                channel,
                Attach.Code,
                $"orders-{Guid.NewGuid()}-{Guid.NewGuid()}",
                0u,
                true,
                null,
                null,
                RawPeer.Composite(Source.Code, "orders"),
                RawPeer.Composite(Target.Code, $"{Guid.NewGuid()}"));
            await peer.FindAsync(Attach.Code);
            await peer.SendAsync(channel, Amqp.Flow.Code, 0u, uint.MaxValue, 0u, 100u, 0u, 0u, 100u);
        }
    }
}
