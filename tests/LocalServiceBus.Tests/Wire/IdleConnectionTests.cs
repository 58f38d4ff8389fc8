using DroneDelivery.LocalServiceBus.Tests.Support.Mistakes;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Clients that wait for messages cost the broker little memory, however many there are.</summary>
public sealed class IdleConnectionTests : FrontEndTest
{
    private const int Receivers = 10;
    private const uint Credit = 100;

    private readonly Queue _queue;

    public IdleConnectionTests()
        : base(new ManualTimeProvider()) => _queue = _entities.Create(new QueueOptions("orders"));

    [Fact]
    public async Task Ten_receivers_with_sessions_of_their_own_take_less_than_50_KB()
    {
        const int Connections = 20;
        await ConnectAsync(); // what is made once
        await AllAreIdleAsync(1);
        var before = RetainedBytes.Of(_frontEnd);
        for (var i = 0; i < Connections; i++)
            await ConnectAsync();
        await AllAreIdleAsync(1 + Connections);
        var each = (RetainedBytes.Of(_frontEnd) - before) / Connections;
        Assert.True(each is > 1_000 and < 50_000, $"{each} bytes each: {RetainedBytes.Largest(_frontEnd)}");
    }

    /// <summary>The last credit has arrived, and what was sent has left: its buffers are released.</summary>
    private Task AllAreIdleAsync(int connections) =>
        Eventually.TrueAsync(() =>
            _frontEnd.Links()[_queue].Sum(link => link.Credit) == connections * Receivers * Credit
            && _frontEnd.Connections.All(connection => connection.Outbox.Capacity == 0)
        );

    /// <summary>As SDKs do, with names of their length.</summary>
    private async Task ConnectAsync()
    {
        var peer = Dial();
        await peer.OpenAsync();
        for (ushort channel = 0; channel < Receivers; channel++)
        {
            await peer.BeginAsync(channel);
            var attach = Words.ReceiverFrom(0, "orders") with { Channel = channel };
            attach.Fields[0] = $"orders-{Guid.NewGuid()}-{Guid.NewGuid()}";
            await peer.WriteAsync(attach.ToBytes());
            await peer.FindAsync(Attach.Code);
            await peer.WriteAsync((Words.Credit(0, Credit) with { Channel = channel }).ToBytes());
        }
    }
}
