using DroneDelivery.LocalServiceBus.Tests.Entities;
using DroneDelivery.LocalServiceBus.Tests.Support.Mistakes;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Clients that wait for messages cost the broker little memory, however many there are.</summary>
[Collection(nameof(MemoryTests))]
public sealed class IdleConnectionTests : FrontEndTest
{
    public IdleConnectionTests()
        : base(TimeProvider.System) => _entities.Create(new QueueOptions("orders"));

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
            var attach = Words.ReceiverFrom(0, "orders") with { Channel = channel };
            attach.Fields[0] = $"orders-{Guid.NewGuid()}-{Guid.NewGuid()}";
            await peer.WriteAsync(attach.ToBytes());
            await peer.FindAsync(Attach.Code);
            await peer.WriteAsync((Words.Credit(0, 100) with { Channel = channel }).ToBytes());
        }
    }
}
