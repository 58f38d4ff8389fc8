using DroneDelivery.Testing;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class IdleTimeoutTests
{
    private readonly ManualTimeProvider _clock = new();
    private readonly TestServer _server = new();

    [Fact]
    public async Task Heartbeat_is_sent_at_half_of_the_peers_timeout()
    {
        await using var peer = await OpenAsync(peerTimeout: 10_000);
        await _server.Connection;
        for (ushort beat = 0; beat < 3; beat++)
        {
            _clock.Advance(TimeSpan.FromSeconds(4.9));
            await peer.SendAsync(beat, Begin.Code, null, 0u, 1u, 1u);
            Assert.Equal(Begin.Code, (await peer.AnyAsync()).Code); // No heartbeat precedes this response.
            _clock.Advance(TimeSpan.FromSeconds(0.1));
            Assert.Equal(0ul, (await peer.AnyAsync()).Code);
        }
    }

    [Fact]
    public async Task Silent_peer_is_dropped_after_twice_the_timeout()
    {
        using var peer = await OpenAsync();
        await _server.Connection;
        _clock.Advance(TimeSpan.FromSeconds(119));
        Assert.True(_server.Log.IsEmpty);
        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(
            ErrorConditions.ResourceLimitExceeded,
            (await peer.NextAsync(Close.Code)).Error(0)?.Condition.Value
        );
        Assert.Equal($"closed {ErrorConditions.ResourceLimitExceeded}", await _server.Log.NextAsync());
        await peer.Other.WaitAsync(Limit.Token); // Without waiting for a response.
    }

    [Fact]
    public async Task Peer_that_sends_only_heartbeats_is_kept()
    {
        // A pipe so small that a write completes when its bytes have been read.
        await using var peer = await OpenAsync(pauseAt: Frame.HeadSize);
        await _server.Connection;
        for (var beat = 0; beat < 5; beat++)
        {
            _clock.Advance(TimeSpan.FromSeconds(119));
            await peer.WriteAsync(Frame.Heartbeat.ToArray());
        }
        Assert.True(_server.Log.IsEmpty);
        await peer.SendAsync(0, Begin.Code, null, 0u, 1u, 1u);
        await peer.NextAsync(Begin.Code);
    }

    [Fact]
    public async Task Idle_connection_keeps_no_buffer()
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

    private async Task<RawPeer> OpenAsync(uint? peerTimeout = null, int pauseAt = 1 << 20)
    {
        var peer = RawPeer.Dial(_server, o => o.TimeProvider = _clock, pauseAt);
        await peer.OpenAsync(idleTimeout: peerTimeout);
        return peer;
    }
}
