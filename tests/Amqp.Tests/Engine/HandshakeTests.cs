using DroneDelivery.Testing;

namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class HandshakeTests
{
    [Fact]
    public async Task Server_offers_its_mechanisms_and_limits()
    {
        await using var peer = RawPeer.Dial(options: o =>
        {
            o.MaxFrameSize = 1000;
            o.ChannelMax = 7;
            o.IdleTimeout = TimeSpan.FromSeconds(30);
        });
        Assert.Equal((byte)0, await AuthenticateAsync(peer, "ANONYMOUS"));
        var open = await peer.OpenAsync();
        Assert.Equal(
            ("server", 1000u, (ushort)7, 30_000u),
            (open.Fields[0], open.Fields[2], open.Fields[3], open.Fields[4])
        );
    }

    [Fact]
    public async Task Server_waits_for_the_clients_header_after_authentication()
    {
        using var peer = RawPeer.Dial();
        await AuthenticateAsync(peer, "ANONYMOUS");
        await peer.EndAsync();
        Assert.Empty(await peer.ReadAsync(1));
    }

    [Fact]
    public async Task Client_that_sends_everything_at_once_is_served()
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
        // Serial arithmetic can add both windows.
        Assert.All([begin.Fields[2], begin.Fields[3]], window => Assert.InRange((uint)window!, 1u, (uint)int.MaxValue));
    }

    [Fact]
    public async Task Frame_with_an_extended_header_is_read()
    {
        await using var peer = await RawPeer.OpenAsync();
        var frame = RawPeer.Encode(0, Begin.Code, [null, 0u, 100u, 100u]);
        await peer.WriteAsync(
            (byte[])[0, 0, 0, (byte)(frame.Length + 4), 3, .. frame[5..8], 0xff, 0xff, 0xff, 0xff, .. frame[8..]]
        );
        await peer.NextAsync(Begin.Code);
    }

    [Fact]
    public async Task Mechanism_that_was_not_offered_is_rejected()
    {
        await using var peer = RawPeer.Dial();
        Assert.Equal((byte)1, await AuthenticateAsync(peer, "EXTERNAL"));
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\n\r\n")]
    [InlineData("AMQP\0\0\u0009\u0001")]
    [InlineData("AMQP\u0002\u0001\0\0")]
    public async Task Other_protocol_gets_the_AMQP_header_and_is_closed(string hello)
    {
        using var peer = RawPeer.Dial();
        await peer.WriteAsync(hello.Select(c => (byte)c).ToArray());
        Assert.Equal(ProtocolHeader.Amqp, await peer.ReadAsync(ProtocolHeader.Size));
        Assert.Empty(await peer.ReadAsync(1));
        await peer.Other.WaitAsync(Limit.Token);
    }

    [Theory]
    [InlineData(Begin.Code, null, null, ErrorConditions.FramingError)] // Not an open.
    [InlineData(Open.Code, null, null, ErrorConditions.DecodeError)] // Without a container-id.
    [InlineData(Open.Code, "raw", 511u, ErrorConditions.InvalidField)] // Frames below the AMQP minimum.
    public async Task Invalid_open_returns_open_and_close(
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
    public async Task Silent_client_is_dropped_after_the_handshake_timeout(int bytes)
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
    public async Task Truncated_handshake_ends_without_an_exception()
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
    private static async Task<object?> AuthenticateAsync(RawPeer peer, string mechanism)
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
