namespace DroneDelivery.Amqp.Tests.Engine;

public sealed class BadPeerTests
{
    public static TheoryData<string, string> Violations() =>
        new()
        {
            { "00 00 00 07 02 00 00 00", ErrorConditions.FramingError }, // smaller than its head
            { "ff ff ff ff 02 00 00 00", ErrorConditions.FramingError }, // larger than allowed: refused without its bytes
            { "00 01 00 01 02 00 00 00", ErrorConditions.FramingError }, // one more than allowed
            { "00 00 00 08 01 00 00 00", ErrorConditions.FramingError }, // data offset inside the head
            { "00 00 00 08 03 00 00 00", ErrorConditions.FramingError }, // data offset behind the frame
            { "00 00 00 08 02 01 00 00", ErrorConditions.FramingError }, // a SASL frame after the open
            { "00 00 00 0c 02 00 00 00 00 53 99 45", ErrorConditions.FramingError }, // no performative
            { "00 00 00 0c 02 00 00 00 00 53 10 45", ErrorConditions.FramingError }, // a second open
            { "00 00 00 0d 02 00 00 00 00 53 17 45 00", ErrorConditions.FramingError }, // bytes behind an end
            { "00 00 00 09 02 00 00 00 40", ErrorConditions.DecodeError }, // not described
            { "00 00 00 0c 02 00 00 00 00 53 14 45", ErrorConditions.DecodeError }, // a transfer without a handle
            { "00 00 00 0c 02 00 00 07 00 53 17 45", ErrorConditions.NotAllowed }, // a channel where nothing began
            { Hex(0, Attach.Code, "l", 1024u, true), ErrorConditions.FramingError }, // a handle above the maximum
            { Hex(0, Begin.Code, null, 0u, 1u, 1u), ErrorConditions.NotAllowed }, // a channel in use
            { Hex(5000, Begin.Code, null, 0u, 1u, 1u), ErrorConditions.FramingError }, // a channel above the maximum
            { Hex(1, Begin.Code, (ushort)9, 0u, 1u, 1u), ErrorConditions.InvalidField }, // an answer to no begin of ours
            { Hex(0, Disposition.Code, true, 0u, 0u, true, RawPeer.Composite(0x7f)), ErrorConditions.NotImplemented }, // no delivery state
        };

    [Theory, MemberData(nameof(Violations))]
    public async Task A_violation_closes_the_connection_with_its_condition(string hex, string condition)
    {
        using var peer = await RawPeer.BeginAsync();
        await peer.WriteAsync(Bytes.FromHex(hex));
        await peer.ExpectCloseAsync(condition);
        while (await peer.Server.Log.NextAsync() != $"closed {condition}") { }
    }

    public static TheoryData<string, string[]> SessionViolations() =>
        new()
        {
            { ErrorConditions.UnattachedHandle, [Transfers(3)] }, // to no link
            { ErrorConditions.NotAllowed, [Attaches(LinkRole.Receiver, "a"), Transfers(3)] }, // on a link on which the server sends
            { ErrorConditions.HandleInUse, [Attaches(LinkRole.Receiver, "a"), Attaches(LinkRole.Receiver, "b")] },
            { ErrorConditions.InvalidField, [Hex(0, Disposition.Code, true, 5u, 4u, true)] }, // a range that runs backwards
            { ErrorConditions.InvalidField, [Attaches(LinkRole.Sender, "a"), Transfers(3), Transfers(3)] }, // a delivery id twice
            { ErrorConditions.InvalidField, [Attaches(LinkRole.Sender, "a"), Transfers(3, more: true), Transfers(4)] }, // another amid it
        };

    [Theory, MemberData(nameof(SessionViolations))]
    public Task A_violation_of_a_session_ends_that_alone(string condition, string[] frames) =>
        ViolateSessionAsync(
            async peer =>
            {
                foreach (var frame in frames)
                    await peer.WriteAsync(Bytes.FromHex(frame));
            },
            condition
        );

    [Fact]
    public Task More_links_than_the_peer_itself_has_handles_for_are_refused() =>
        ViolateSessionAsync(
            async peer =>
            {
                await peer.SendAsync(0, End.Code);
                await peer.NextAsync(End.Code);
                await peer.SendAsync(0, Begin.Code, null, 0u, 100u, 100u, 1u); // the highest handle
                await peer.NextAsync(Begin.Code);
                for (var handle = 0u; handle < 3; handle++)
                    await peer.AttachAsync(LinkRole.Receiver, handle, $"l{handle}");
                for (var handle = 0u; handle < 2; handle++)
                    Assert.Equal(handle, (await peer.NextAsync(Attach.Code)).Fields[1]);
            },
            ErrorConditions.ResourceLimitExceeded
        );

    [Theory]
    [InlineData(600, 1, true)] // the name, which every answer repeats
    [InlineData(1, 600, true)] // the address, which a refusal names
    [InlineData(600, 1, false)]
    public async Task An_answer_that_does_not_fit_into_the_peers_frames_closes_the_connection(
        int name,
        int address,
        bool isRefusal
    )
    {
        using var peer = await RawPeer.BeginAsync(
            new TestServer { OnAttached = isRefusal ? RefuseByAddress : null },
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
    public void Frames_cost_no_more_than_their_bytes_whatever_their_lengths_say()
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

    /// <summary>What concerns one session ends that and nothing else (AMQP 1.0 §2.8.17).</summary>
    private static async Task ViolateSessionAsync(Func<RawPeer, Task> violate, string condition)
    {
        await using var peer = await RawPeer.BeginAsync();
        peer.Server.ReceiverHandler.Settle = null;
        await violate(peer);
        Assert.Equal(condition, (await peer.FindAsync(End.Code)).Error(0)?.Condition.Value);
        await peer.SendAsync(1, Begin.Code, null, 0u, 100u, 100u);
        Assert.Equal(1, (await peer.NextAsync(Begin.Code)).Channel);
        await peer.TransferAsync(9, [1]); // was under way
        await peer.SendAsync(0, End.Code);
        await peer.SendAsync(0, Begin.Code, null, 0u, 100u, 100u);
        Assert.Equal(0, (await peer.NextAsync(Begin.Code)).Channel); // is free again
    }

    private static void RefuseByAddress(TestServer server, AmqpSession session, Attach attach) =>
        session.RefuseLink(attach, new AmqpError(ErrorConditions.NotFound, $"no queue {attach.Source!.Address}"));
}
