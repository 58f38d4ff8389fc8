using DroneDelivery.Testing;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class HandshakeTests
{
    [Fact]
    public async Task The_server_offers_its_mechanisms_answers_header_by_header_and_tells_its_limits()
    {
        await using var peer = RawPeer.Dial(options: o =>
        {
            o.MaxFrameSize = 1000;
            o.ChannelMax = 7;
            o.IdleTimeout = TimeSpan.FromSeconds(30);
        });
        Assert.Equal((byte)0, await LogInAsync(peer, "ANONYMOUS"));
        var open = await peer.OpenAsync();
        Assert.Equal(
            ("server", 1000u, (ushort)7, 30_000u),
            (open.Fields[0], open.Fields[2], open.Fields[3], open.Fields[4])
        );
    }

    [Fact]
    public async Task Nothing_follows_the_outcome_when_the_clients_header_never_comes()
    {
        using var peer = RawPeer.Dial();
        await LogInAsync(peer, "ANONYMOUS");
        await peer.EndAsync();
        Assert.Empty(await peer.ReadAsync(1));
    }

    [Fact]
    public async Task A_client_that_sends_everything_at_once_is_served()
    {
        await using var peer = RawPeer.Dial();
        await peer.WriteAsync(
            (byte[])
                [
                    .. ProtocolHeader.Sasl,
                    .. Init("ANONYMOUS"),
                    .. ProtocolHeader.Amqp,
                    .. RawPeer.Encode(0, Open.Code, ["raw"]),
                    .. RawPeer.Encode(0, Begin.Code, [null, 0u, 100u, 100u]),
                ]
        );

        await peer.ReadAsync(ProtocolHeader.Size);
        await peer.FindAsync(SaslOutcome.Code);
        await peer.ReadAsync(ProtocolHeader.Size);
        await peer.NextAsync(Open.Code);
        var begin = await peer.NextAsync(Begin.Code);
        Assert.Equal((ushort)0, begin.Fields[0]);
        // Both windows are numbers that serial arithmetic can add.
        Assert.All([begin.Fields[2], begin.Fields[3]], window => Assert.InRange((uint)window!, 1u, (uint)int.MaxValue));
    }

    [Fact]
    public async Task A_frame_whose_head_is_longer_than_known_is_read()
    {
        await using var peer = await RawPeer.OpenAsync();
        var frame = RawPeer.Encode(0, Begin.Code, [null, 0u, 100u, 100u]);
        await peer.WriteAsync(
            (byte[])[0, 0, 0, (byte)(frame.Length + 4), 3, .. frame[5..8], 0xff, 0xff, 0xff, 0xff, .. frame[8..]]
        );
        await peer.NextAsync(Begin.Code);
    }

    [Fact]
    public async Task A_client_that_picks_a_mechanism_that_was_not_offered_is_not_let_in()
    {
        await using var peer = RawPeer.Dial();
        Assert.Equal((byte)1, await LogInAsync(peer, "EXTERNAL"));
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\n\r\n")]
    [InlineData("AMQP\0\0\u0009\u0001")]
    [InlineData("AMQP\u0002\u0001\0\0")]
    public async Task Another_protocol_gets_our_header_and_the_end(string hello)
    {
        using var peer = RawPeer.Dial();
        await peer.WriteAsync(hello.Select(c => (byte)c).ToArray());
        Assert.Equal(ProtocolHeader.Amqp, await peer.ReadAsync(ProtocolHeader.Size));
        Assert.Empty(await peer.ReadAsync(1));
        await peer.Other.WaitAsync(Limit.Token);
    }

    [Theory]
    [InlineData(Begin.Code, null, null, ErrorConditions.FramingError)] // not an open
    [InlineData(Open.Code, null, null, ErrorConditions.DecodeError)] // without container-id
    [InlineData(Open.Code, "raw", 511u, ErrorConditions.InvalidField)] // frames smaller than AMQP has
    public async Task A_bad_open_is_answered_with_open_and_close(
        ulong code,
        string? container,
        uint? maxFrameSize,
        string condition
    )
    {
        using var peer = RawPeer.Dial();
        await peer.WriteAsync(ProtocolHeader.Amqp);
        await peer.ReadAsync(ProtocolHeader.Size);
        await peer.SendAsync(0, code, container, null, maxFrameSize);
        await peer.NextAsync(Open.Code);
        await peer.ExpectCloseAsync(condition);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(8)]
    public async Task A_silent_client_is_dropped_after_the_handshake_timeout(int bytes)
    {
        var clock = new ManualTimeProvider();
        using var peer = RawPeer.Dial(options: Limited);
        await using var late = RawPeer.Dial(options: Limited);
        await peer.WriteAsync(ProtocolHeader.Amqp.AsMemory(0, bytes));
        clock.Advance(TimeSpan.FromSeconds(9.9));
        await late.OpenAsync();
        clock.Advance(TimeSpan.FromSeconds(0.2));
        await peer.Other.WaitAsync(Limit.Token);

        void Limited(AmqpConnectionOptions options)
        {
            options.TimeProvider = clock;
            options.HandshakeTimeout = TimeSpan.FromSeconds(10);
        }
    }

    [Fact]
    public async Task Every_cut_of_a_handshake_ends_without_an_exception()
    {
        byte[] whole =
        [
            .. ProtocolHeader.Sasl,
            .. Init("ANONYMOUS"),
            .. ProtocolHeader.Amqp,
            .. RawPeer.Encode(0, Open.Code, ["raw"]),
        ];
        for (var length = 0; length <= whole.Length; length++)
        {
            using var peer = RawPeer.Dial();
            await peer.WriteAsync(whole.AsMemory(0, length));
            await peer.HangUpAsync();
        }
    }

    /// <returns>The code of the outcome.</returns>
    private static async Task<object?> LogInAsync(RawPeer peer, string mechanism)
    {
        await peer.WriteAsync(ProtocolHeader.Sasl);
        Assert.Equal(ProtocolHeader.Sasl, await peer.ReadAsync(ProtocolHeader.Size));
        Assert.Equal(
            new Symbol[] { "MSSBCBS", "PLAIN", "ANONYMOUS" },
            (await peer.NextAsync(SaslMechanisms.Code)).Fields[0]
        );
        await peer.WriteAsync(Init(mechanism));
        return (await peer.NextAsync(SaslOutcome.Code)).Fields[0];
    }

    private static byte[] Init(string mechanism) =>
        Bytes.Encode(w => Frame.Write(w, Frame.SaslType, 0, new SaslInit(mechanism)));
}
