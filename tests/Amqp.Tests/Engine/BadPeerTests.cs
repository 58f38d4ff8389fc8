namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class BadPeerTests
{
    public static TheoryData<string, string> Violations() =>
        new()
        {
            { "00 00 00 07 02 00 00 00", ErrorConditions.FramingError }, // Smaller than its header.
            // Larger than allowed: rejected before its bytes are read.
            { "ff ff ff ff 02 00 00 00", ErrorConditions.FramingError },
            { "00 01 00 01 02 00 00 00", ErrorConditions.FramingError }, // One byte more than allowed.
            { "00 00 00 08 01 00 00 00", ErrorConditions.FramingError }, // The data offset is inside the header.
            { "00 00 00 08 03 00 00 00", ErrorConditions.FramingError }, // The data offset is after the frame.
            { "00 00 00 08 02 01 00 00", ErrorConditions.FramingError }, // A SASL frame after the open.
            { "00 00 00 0c 02 00 00 00 00 53 99 45", ErrorConditions.FramingError }, // Without a performative.
            { "00 00 00 0c 02 00 00 00 00 53 10 45", ErrorConditions.FramingError }, // A second open.
            { "00 00 00 0d 02 00 00 00 00 53 17 45 00", ErrorConditions.FramingError }, // Bytes after an end.
            { "00 00 00 09 02 00 00 00 40", ErrorConditions.DecodeError }, // Not described.
            { "00 00 00 0c 02 00 00 00 00 53 14 45", ErrorConditions.DecodeError }, // A transfer without a handle.
            { "00 00 00 0c 02 00 00 07 00 53 17 45", ErrorConditions.NotAllowed }, // A channel without a session.
            { Hex(0, Attach.Code, "l", 1024u, true), ErrorConditions.FramingError }, // A handle above the maximum.
            { Hex(0, Begin.Code, null, 0u, 1u, 1u), ErrorConditions.NotAllowed }, // A channel in use.
            { Hex(5000, Begin.Code, null, 0u, 1u, 1u), ErrorConditions.FramingError }, // A channel above the maximum.
            // A response to a begin that was not sent.
            { Hex(1, Begin.Code, (ushort)9, 0u, 1u, 1u), ErrorConditions.InvalidField },
            // Not a delivery state.
            { Hex(0, Disposition.Code, true, 0u, 0u, true, RawPeer.Composite(0x7f)), ErrorConditions.NotImplemented },
        };

    [Theory, MemberData(nameof(Violations))]
    public async Task Violation_closes_the_connection_with_its_condition(string hex, string condition)
    {
        using var peer = await RawPeer.BeginAsync();
        await peer.WriteAsync(Bytes.FromHex(hex));
        await peer.ExpectCloseAsync(condition);
        while (await peer.Server.Log.NextAsync() != $"closed {condition}") { }
    }

    public static TheoryData<string, string[]> SessionViolations() =>
        new()
        {
            { ErrorConditions.UnattachedHandle, [Transfers(3)] }, // To no link.
            // On a link on which the server sends.
            { ErrorConditions.NotAllowed, [Attaches(LinkRole.Receiver, "a"), Transfers(3)] },
            { ErrorConditions.HandleInUse, [Attaches(LinkRole.Receiver, "a"), Attaches(LinkRole.Receiver, "b")] },
            { ErrorConditions.InvalidField, [Hex(0, Disposition.Code, true, 5u, 4u, true)] }, // A descending range.
            // A duplicate delivery id.
            { ErrorConditions.InvalidField, [Attaches(LinkRole.Sender, "a"), Transfers(3), Transfers(3)] },
            // Another delivery in the middle of it.
            { ErrorConditions.InvalidField, [Attaches(LinkRole.Sender, "a"), Transfers(3, more: true), Transfers(4)] },
        };

    [Theory, MemberData(nameof(SessionViolations))]
    public Task Violation_of_a_session_ends_only_that_session(string condition, string[] frames) =>
        ViolateSessionAsync(
            async peer =>
            {
                foreach (var frame in frames)
                    await peer.WriteAsync(Bytes.FromHex(frame));
            },
            condition
        );

    [Fact]
    public Task Links_beyond_the_peers_own_handle_maximum_are_rejected() =>
        ViolateSessionAsync(
            async peer =>
            {
                await peer.SendAsync(0, End.Code);
                await peer.NextAsync(End.Code);
                await peer.SendAsync(0, Begin.Code, null, 0u, 100u, 100u, 1u); // The highest handle.
                await peer.NextAsync(Begin.Code);
                for (var handle = 0u; handle < 3; handle++)
                    await peer.AttachAsync(LinkRole.Receiver, handle, $"l{handle}");
                for (var handle = 0u; handle < 2; handle++)
                    Assert.Equal(handle, (await peer.NextAsync(Attach.Code)).Fields[1]);
            },
            ErrorConditions.ResourceLimitExceeded
        );

    [Theory]
    [InlineData(600, 1, true)] // The name, which every response repeats.
    [InlineData(1, 600, true)] // The address, which a rejection names.
    [InlineData(600, 1, false)]
    public async Task Response_larger_than_the_peers_frames_closes_the_connection(int name, int address, bool isRefusal)
    {
        using var peer = await RawPeer.BeginAsync(
            new TestServer { OnAttached = isRefusal ? RejectByAddress : null },
            maxFrameSize: 512
        );
        var source = RawPeer.Composite(Source.Code, new string('q', address));
        await peer.SendAsync(
            0,
            Attach.Code,
            new string('n', name),
            0u,
            true,
            null,
            null,
            source,
            RawPeer.Composite(Target.Code)
        );
        await peer.ExpectCloseAsync(ErrorConditions.FrameSizeTooSmall);
    }

    [Fact]
    public void Forged_lengths_cost_no_more_than_the_bytes_of_the_frame()
    {
        var attach = Bytes.Encode(
            new Attach
            {
                Name = "l",
                Source = new Source
                {
                    Address = "q",
                    Filter = new() { ["f"] = "a" },
                },
                Properties = new()
                {
                    ["p"] = new List<object?> { 1, "two", new[] { 3L } },
                },
            }.Write
        );
        foreach (var damaged in Damage.FlipEachByte(attach))
            Damage.Try(() => ReadAttach(damaged));
        for (var length = 0; length < attach.Length; length++)
        {
            var cut = attach.AsMemory(0, length);
            Assert.Equal(ErrorConditions.DecodeError, Damage.Try(() => ReadAttach(cut.Span)));
        }
    }

    private static void ReadAttach(ReadOnlySpan<byte> encoded)
    {
        var fields = new FieldReader(encoded, out _);
        Attach.Read(ref fields);
        fields.End();
    }

    private static string Hex(ushort channel, ulong code, params object?[] fields) =>
        Bytes.Hex(RawPeer.Encode(channel, code, fields));

    private static string Attaches(LinkRole role, string name) => Bytes.Hex(RawPeer.EncodeAttach(role, 0, name));

    private static string Transfers(uint id, bool more = false) =>
        Bytes.Hex(RawPeer.Encode(0, Transfer.Code, [0u, id, new byte[] { 1 }, 0u, false, more], [1]));

    /// <summary>Asserts that a violation in one session ends only that session (AMQP 1.0 §2.8.17).</summary>
    private static async Task ViolateSessionAsync(Func<RawPeer, Task> violate, string condition)
    {
        await using var peer = await RawPeer.BeginAsync();
        peer.Server.ReceiverHandler.Settle = null;
        await violate(peer);
        Assert.Equal(condition, (await peer.FindAsync(End.Code)).Error(0)?.Condition.Value);
        await peer.SendAsync(1, Begin.Code, null, 0u, 100u, 100u);
        Assert.Equal(1, (await peer.NextAsync(Begin.Code)).Channel);
        await peer.TransferAsync(9, [1]); // This transfer was in transit.
        await peer.SendAsync(0, End.Code);
        await peer.SendAsync(0, Begin.Code, null, 0u, 100u, 100u);
        Assert.Equal(0, (await peer.NextAsync(Begin.Code)).Channel); // The channel is available again.
    }

    private static void RejectByAddress(TestServer server, AmqpSession session, Attach attach) =>
        session.RefuseLink(attach, new AmqpError(ErrorConditions.NotFound, $"no queue {attach.Source!.Address}"));
}
