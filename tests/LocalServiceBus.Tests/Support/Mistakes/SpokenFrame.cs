using DroneDelivery.Amqp.Tests.Support;

namespace DroneDelivery.LocalServiceBus.Tests.Support.Mistakes;

/// <summary>A frame in words, which become bytes when it is said.</summary>
internal sealed record SpokenFrame(ulong Code, List<object?> Fields)
{
    public ushort Channel { get; init; }

    /// <summary>Of the message behind the performative.</summary>
    public List<object?> Sections { get; init; } = [];

    public byte[] ToBytes() => RawPeer.Encode(Channel, Code, [.. Fields], Encode(Sections));

    public static byte[] Encode(List<object?> sections) =>
        Bytes.Encode(writer =>
        {
            foreach (var section in sections)
                writer.WriteValue(section);
        });
}

internal static class Words
{
    /// <summary>What a client that logs in says before its first session, and a session to ask whether the broker is still there.</summary>
    public static IReadOnlyList<byte[]> Greeting { get; } =
    [
        ProtocolHeader.Sasl,
        LogIn(),
        ProtocolHeader.Amqp,
        RawPeer.Encode(0, Open.Code, ["peer", null, 65536u]),
        BeginOn(1).ToBytes(),
    ];

    public static SpokenFrame BeginOn(ushort channel, uint window = int.MaxValue) =>
        new(Begin.Code, [null, 0u, window, 100u]) { Channel = channel };

    public static SpokenFrame EndOf(ushort channel) => new(End.Code, []) { Channel = channel };

    public static SpokenFrame SenderTo(uint handle, string address, Dictionary<Symbol, object?>? properties = null) =>
        LinkOf(handle, false, RawPeer.Composite(Source.Code), RawPeer.Composite(Target.Code, address), properties);

    public static SpokenFrame CoordinatorOf(uint handle, Symbol[]? capabilities = null) =>
        LinkOf(handle, false, RawPeer.Composite(Source.Code), RawPeer.Composite(Coordinator.Code, capabilities));

    /// <summary>Properties of a link on which messages go through a queue or topic to another.</summary>
    public static Dictionary<Symbol, object?> ForwardedTo(string queue) =>
        new() { ["com.microsoft:transfer-destination-address"] = queue };

    public static SpokenFrame ReceiverFrom(uint handle, string address, bool settled = false) =>
        LinkOf(
            handle,
            true,
            RawPeer.Composite(Source.Code, address),
            RawPeer.Composite(Target.Code, "replies"),
            settled: settled
        );

    /// <summary>Of a session; null: the next one.</summary>
    public static SpokenFrame SessionOf(uint handle, string address, string? session) =>
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

    public static SpokenFrame LinkOf(
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

    public static SpokenFrame Credit(uint handle, uint credit, bool drain = false) =>
        new(Flow.Code, [0u, (uint)int.MaxValue, 0u, 100u, handle, 0u, credit, null, drain, false]);

    /// <param name="window">Of the session, for the transfers to come.</param>
    public static SpokenFrame Window(uint window) =>
        new(Flow.Code, [0u, window, 0u, 100u, null, null, null, null, false, true]);

    public static SpokenFrame DetachOf(uint handle, bool closed = true) => new(Detach.Code, [handle, closed]);

    public static SpokenFrame Message(
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

    public static SpokenFrame Aborted(uint handle) =>
        new(Transfer.Code, [handle, null, null, null, null, false, null, null, false, true]);

    public static SpokenFrame Outcome(uint first, uint last, object? state, bool settled = false) =>
        new(Disposition.Code, [true, first, last, settled, state, false]);

    /// <summary>A message with every section.</summary>
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
        [.. Enumerable.Range(0, count).Select(_ => new DescribedValue(SectionCode.Data, SpokenFrame.Encode(Text())))];

    /// <summary>A request to a node, whose replies go to the link that <see cref="ReceiverFrom"/> attaches.</summary>
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

    private static byte[] LogIn()
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
