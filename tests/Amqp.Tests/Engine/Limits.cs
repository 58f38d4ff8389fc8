namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class Limits
{
    [Fact]
    public async Task Sessions_take_the_lowest_free_channel_up_to_the_smaller_channel_max()
    {
        await using var pair = await Pair.OpenAsync(c => c.ChannelMax = 9, s => s.ChannelMax = 1);
        var first = await pair.Client.BeginSessionAsync(null, Limit.Token);
        await pair.Client.BeginSessionAsync(null, Limit.Token);

        var full = await Assert.ThrowsAsync<AmqpException>(() => pair.Client.BeginSessionAsync(null, Limit.Token));
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, full.Error.Condition.Value);

        await first.EndAsync(ct: Limit.Token);
        Assert.Equal(0, (await pair.Client.BeginSessionAsync(null, Limit.Token)).Channel);
    }

    [Fact]
    public async Task A_client_serves_neither_sessions_nor_links()
    {
        var (peer, client) = await RawPeer.ServeAsync();
        using var _ = peer;
        var beginning = client.BeginSessionAsync(null, Limit.Token);
        await peer.NextAsync(Begin.Code);
        await peer.SendAsync(0, Begin.Code, (ushort)0, 0u, 100u, 100u);
        await beginning;

        await peer.AttachAsync(LinkRole.Receiver, name: "uninvited");
        await peer.NextAsync(Attach.Code);
        Assert.Equal(ErrorConditions.NotAllowed, (await peer.NextAsync(Detach.Code)).Error(2)?.Condition.Value);

        await peer.SendAsync(1, Begin.Code, null, 0u, 100u, 100u);
        Assert.Equal(ErrorConditions.NotAllowed, (await peer.NextAsync(Close.Code)).Error(0)?.Condition.Value);
        Assert.Equal(ErrorConditions.NotAllowed, (await client.Closed)?.Condition.Value);
    }

    [Fact]
    public async Task An_attach_that_does_not_fit_into_the_peers_frames_is_refused_here_and_harms_nothing()
    {
        await using var pair = await Pair.OpenAsync(server: s => s.MaxFrameSize = 512);
        var session = await pair.Client.BeginSessionAsync(null, Limit.Token);
        var large = new Attach { Name = new string('n', 600), Target = new Target() };

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => session.AttachSenderAsync(large, new TestSender(), Limit.Token));

        Assert.Contains("512", refused.Message);
        await session.AttachSenderAsync(new Attach { Name = "n", Target = new Target() }, new TestSender(), Limit.Token);
    }

    [Fact]
    public async Task A_tag_of_more_than_32_bytes_is_refused()
    {
        await using var pair = await Pair.OpenAsync();
        var session = await pair.Client.BeginSessionAsync(null, Limit.Token);
        var link = await session.AttachSenderAsync(new Attach { Name = "s", Target = new Target() }, new TestSender(), Limit.Token);
        Assert.Throws<ArgumentException>(() => link.TrySend(new byte[33], [1], default, 0, settled: true, null, out _));
    }
}
