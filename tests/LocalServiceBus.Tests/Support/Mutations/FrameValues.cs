using DroneDelivery.Amqp.Tests.Support;

namespace DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

/// <summary>A frame as values, encoded when it is sent.</summary>
internal sealed record FrameValues(ulong Code, List<object?> Fields)
{
    public ushort Channel { get; init; }

    /// <summary>The sections of the message after the performative.</summary>
    public List<object?> Sections { get; init; } = [];

    public byte[] ToBytes() => RawPeer.Encode(Channel, Code, [.. Fields], Encode(Sections));

    public static byte[] Encode(List<object?> sections) =>
        Bytes.Encode(writer =>
        {
            foreach (var section in sections)
                writer.WriteValue(section);
        });
}

internal static class Frames
{
    /// <summary>
    /// The frames of a client before its first session, and a session for testing whether the broker still responds.
    /// </summary>
    public static IReadOnlyList<byte[]> Greeting { get; } =
    [
        ProtocolHeader.Sasl,
        EncodeSaslInit(),
        ProtocolHeader.Amqp,
        RawPeer.Encode(0, Open.Code, ["peer", null, 65536u]),
        BeginOn(1).ToBytes(),
    ];

    public static FrameValues BeginOn(ushort channel, uint window = int.MaxValue) =>
        new(Begin.Code, [null, 0u, window, 100u]) { Channel = channel };

    public static FrameValues EndOf(ushort channel) => new(End.Code, []) { Channel = channel };

    public static FrameValues SenderTo(uint handle, string address, Dictionary<Symbol, object?>? properties = null) =>
        LinkOf(handle, false, RawPeer.Composite(Source.Code), RawPeer.Composite(Target.Code, address), properties);

    public static FrameValues CoordinatorOf(uint handle, Symbol[]? capabilities = null) =>
        LinkOf(handle, false, RawPeer.Composite(Source.Code), RawPeer.Composite(Coordinator.Code, capabilities));

    /// <summary>The properties of a link that transfers messages through an entity to another.</summary>
    public static Dictionary<Symbol, object?> ForwardedTo(string queue) =>
        new() { ["com.microsoft:transfer-destination-address"] = queue };

    public static FrameValues ReceiverFrom(uint handle, string address, bool settled = false) =>
        LinkOf(
            handle,
            true,
            RawPeer.Composite(Source.Code, address),
            RawPeer.Composite(Target.Code, "replies"),
            settled: settled
        );

    /// <summary>Attaches to a session; <c>null</c> for the next one.</summary>
    public static FrameValues SessionOf(uint handle, string address, string? session) =>
        LinkOf(
            handle,
            true,
            RawPeer.Composite(
                Source.Code,
                address,
                null,
                null,
                null,
                null,
                null,
                null,
                new Dictionary<Symbol, object?> { ["com.microsoft:session-filter"] = session }
            ),
            RawPeer.Composite(Target.Code, "here"),
            new() { ["com.microsoft:timeout"] = 60_000u }
        );

    public static FrameValues LinkOf(
        uint handle,
        bool receives,
        object? source,
        object? target,
        Dictionary<Symbol, object?>? properties = null,
        bool settled = false
    )
    {
        byte? settles = settled ? (byte)1 : null;
        uint? count = receives ? null : 0;
        return new(
            Attach.Code,
            [
                $"link-{handle}",
                handle,
                receives,
                settles,
                null,
                source,
                target,
                null,
                null,
                count,
                null,
                null,
                null,
                properties,
            ]
        );
    }

    public static FrameValues Credit(uint handle, uint credit, bool drain = false) =>
        new(Flow.Code, [0u, (uint)int.MaxValue, 0u, 100u, handle, 0u, credit, null, drain, false]);

    /// <param name="window">The session's window for incoming transfers.</param>
    public static FrameValues Window(uint window) =>
        new(Flow.Code, [0u, window, 0u, 100u, null, null, null, null, false, true]);

    public static FrameValues DetachOf(uint handle, bool closed = true) => new(Detach.Code, [handle, closed]);

    public static FrameValues Message(
        uint handle,
        uint id,
        List<object?> sections,
        object? state = null,
        bool settled = false,
        bool more = false,
        uint format = 0
    ) =>
        new(Transfer.Code, [handle, id, BitConverter.GetBytes(id), format, settled, more, null, state, false, false])
        {
            Sections = sections,
        };

    public static FrameValues Aborted(uint handle) =>
        new(Transfer.Code, [handle, null, null, null, null, false, null, null, false, true]);

    public static FrameValues Outcome(uint first, uint last, object? state, bool settled = false) =>
        new(Disposition.Code, [true, first, last, settled, state, false]);

    /// <summary>Returns a message with every section.</summary>
    public static List<object?> Text(string? session = "one", Dictionary<Symbol, object?>? annotations = null) =>
        [
            new DescribedValue(SectionCode.Header, new List<object?> { true, (byte)4, 600_000u, false, 0u }),
            new DescribedValue(SectionCode.MessageAnnotations, annotations ?? new() { ["x-opt-mine"] = 1 }),
            new DescribedValue(
                SectionCode.Properties,
                new List<object?>
                {
                    "id",
                    null,
                    "to",
                    "subject",
                    "replies",
                    "about",
                    (Symbol)"text/plain",
                    null,
                    null,
                    null,
                    session,
                }
            ),
            new DescribedValue(
                SectionCode.ApplicationProperties,
                new Dictionary<string, object?> { ["number"] = 1, ["text"] = "a" }
            ),
            new DescribedValue(SectionCode.Data, "text"u8.ToArray()),
        ];

    public static List<object?> Batch(int count) =>
        [.. Enumerable.Range(0, count).Select(_ => new DescribedValue(SectionCode.Data, FrameValues.Encode(Text())))];

    /// <summary>
    /// Returns a request to a node, with replies to the link that <see cref="ReceiverFrom"/> attaches.
    /// </summary>
    public static List<object?> Request(
        string operation,
        object? value,
        Dictionary<string, object?>? properties = null
    ) =>
        [
            new DescribedValue(SectionCode.Properties, new List<object?> { "id", null, "to", null, "replies" }),
            new DescribedValue(
                SectionCode.ApplicationProperties,
                new Dictionary<string, object?>(properties ?? []) { ["operation"] = operation }
            ),
            new DescribedValue(SectionCode.Value, value),
        ];

    private static byte[] EncodeSaslInit()
    {
        var init = RawPeer.Encode(
            0,
            SaslInit.Code,
            [(Symbol)"PLAIN", "\0RootManageSharedAccessKey\0SAS_KEY_VALUE"u8.ToArray()]
        );
        init[5] = Frame.SaslType;
        return init;
    }
}
