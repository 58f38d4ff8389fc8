namespace DroneDelivery.Amqp.Tests.Frames;

/// <summary>
/// Whole frames: header (AMQP 1.0 §2.3.1), descriptor, and every field. The tests in Engine cover the fields of the
/// other performatives.
/// </summary>
public sealed class FrameEncodingTests
{
    public static TheoryData<string, object> Performatives() =>
        new()
        {
            {
                "00 00 00 23 02 00 00 03 00 53 10 c0 16 0a a1 01 63 a1 01 68 70 00 01 00 00 60 00 ff 52 64 40 40 40 40 40",
                new Open
                {
                    ContainerId = "c",
                    HostName = "h",
                    MaxFrameSize = 65536,
                    ChannelMax = 255,
                    IdleTimeout = 100,
                }
            },
            {
                "00 00 00 1a 02 00 00 03 00 53 18 c0 0d 01 00 53 1d c0 07 03 a3 01 65 a1 00 40",
                new Close(new AmqpError("e", ""))
            },
            {
                "00 00 00 19 02 00 00 03 00 53 40 c0 0c 01 e0 09 02 a3 01 41 04 42 42 42 42",
                new SaslMechanisms(["A", "BBBB"])
            },
            {
                "00 00 00 1e 02 00 00 03 00 53 13 c0 11 0b 43 52 05 52 01 52 06 43 52 02 52 0a 40 42 42 40",
                new Flow
                {
                    NextIncomingId = 0,
                    IncomingWindow = 5,
                    NextOutgoingId = 1,
                    OutgoingWindow = 6,
                    Handle = 0,
                    DeliveryCount = 2,
                    LinkCredit = 10,
                }
            },
        };

    [Theory, MemberData(nameof(Performatives))]
    public void Performative_is_written_with_all_its_fields(string hex, object performative) =>
        Assert.Equal(hex, Bytes.Hex(Bytes.Encode(w => Frame.Write(w, Frame.AmqpType, 3, (IComposite)performative))));

    [Fact]
    public void Attach_round_trips_with_every_field()
    {
        var attach = new Attach
        {
            Name = "l",
            Handle = 3,
            Role = LinkRole.Sender,
            SndSettleMode = SenderSettleMode.Mixed,
            RcvSettleMode = ReceiverSettleMode.Second,
            Source = new Source
            {
                Address = "q",
                DistributionMode = "move",
                Filter = new() { ["com.microsoft:session-filter"] = null },
            },
            Target = new Target { Address = "t" },
            InitialDeliveryCount = 7,
            MaxMessageSize = 262144,
            Properties = new() { ["com.microsoft:timeout"] = 60000u },
        };
        var encoded = Bytes.Encode(attach.Write);
        var fields = new FieldReader(encoded, out _);
        Assert.Equivalent(attach, Attach.Read(ref fields), strict: true);
        Assert.Equal(encoded.Length, fields.End());
    }

    public static TheoryData<string, object> States() =>
        new()
        {
            { "00 53 24 45", Accepted.Instance },
            { "00 53 25 c0 02 01 40", Rejected.Bare },
            { "00 53 26 45", Released.Instance },
            { "00 53 27 c0 04 03 41 42 40", new Modified(DeliveryFailed: true) },
            { "00 53 23 c0 05 02 52 01 53 02", new Received(1, 2) },
            { "00 53 33 c0 04 01 a0 01 07", new Declared([7]) },
            { "00 53 34 c0 08 02 a0 01 07 00 53 24 45", new TransactionalState([7], Accepted.Instance) },
        };

    [Theory, MemberData(nameof(States))]
    public void Delivery_state_round_trips(string hex, object state)
    {
        Assert.Equal(hex, Bytes.Hex(Bytes.Encode(((DeliveryState)state).Write)));
        Assert.Equivalent(state, ReadState(Bytes.FromHex(hex)), strict: true);
    }

    [Fact]
    public void Shortened_and_extended_encodings_are_read()
    {
        Assert.Same(Rejected.Bare, ReadState(Bytes.FromHex("00 53 25 45")));
        Assert.Equal(new Modified(), ReadState(Bytes.FromHex("00 53 27 45")));
        var name = Bytes.Encode(w =>
            w.WriteValue(new DescribedValue(new Symbol("amqp:accepted:list"), new List<object?>()))
        );
        Assert.Same(Accepted.Instance, ReadState(name));

        Assert.Equal([new Symbol("A")], SymbolsOf("00 53 40 c0 04 01 a3 01 41"));
        Assert.Equal([new Symbol("A"), new Symbol("B")], SymbolsOf("00 53 40 c0 09 01 e0 06 02 a3 01 41 01 42"));

        var later = new FieldReader(Bytes.FromHex("00 53 17 c0 06 03 40 a1 01 78 41"), out var descriptor);
        Assert.Equal(End.Code, descriptor);
        Assert.Null(End.Read(ref later).Error);
        Assert.Equal(11, later.End());

        static Symbol[] SymbolsOf(string mechanisms)
        {
            var fields = new FieldReader(Bytes.FromHex(mechanisms), out _);
            return fields.Symbols()!;
        }
    }

    private static DeliveryState? ReadState(byte[] encoded)
    {
        var fields = new FieldReader(encoded, out var descriptor);
        var state = DeliveryState.Read(descriptor, ref fields);
        fields.End();
        return state;
    }
}
