using DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Waiting clients must cost the broker little memory, regardless of their number.</summary>
public sealed class IdleConnectionTests : FrontEndTest
{
    private const int Receivers = 10;
    private const uint Credit = 100;

    private readonly Queue _queue;

    public IdleConnectionTests()
        : base(new ManualTimeProvider()) => _queue = _entities.Create(new QueueOptions("orders"));

    [Fact]
    public async Task Ten_receivers_with_own_sessions_occupy_less_than_50_KB()
    {
        const int Connections = 20;
        await ConnectAsync(); // Creates everything that is shared.
        await AllAreIdleAsync(1);
        var before = RetainedBytes.Of(_frontEnd);
        for (var i = 0; i < Connections; i++)
            await ConnectAsync();
        await AllAreIdleAsync(1 + Connections);
        var each = (RetainedBytes.Of(_frontEnd) - before) / Connections;
        Assert.True(each is > 1_000 and < 50_000, $"{each} bytes each: {RetainedBytes.Largest(_frontEnd)}");
    }

    /// <summary>Waits until the last credit has arrived and all buffers have been sent and released.</summary>
    private Task AllAreIdleAsync(int connections) =>
        Eventually.TrueAsync(() =>
            _frontEnd.Links()[_queue].Sum(link => link.Credit) == connections * Receivers * Credit
            && _frontEnd.Connections.All(connection => connection.Outbox.Capacity == 0)
        );

    /// <summary>Connects as SDKs do, with names of the same length.</summary>
    private async Task ConnectAsync()
    {
        var peer = Dial();
        await peer.OpenAsync();
        for (ushort channel = 0; channel < Receivers; channel++)
        {
            await peer.BeginAsync(channel);
            var attach = Frames.ReceiverFrom(0, "orders") with { Channel = channel };
            attach.Fields[0] = $"orders-{Guid.NewGuid()}-{Guid.NewGuid()}";
            await peer.WriteAsync(attach.ToBytes());
            await peer.FindAsync(Attach.Code);
            await peer.WriteAsync((Frames.Credit(0, Credit) with { Channel = channel }).ToBytes());
        }
    }
}
