namespace DroneDelivery.Amqp.Tests.Messages;

public sealed class MessageEncodingTests
{
    private static AmqpMessage Full =>
        new()
        {
            Header = new MessageHeader
            {
                Durable = true,
                Priority = 4,
                Ttl = 60_000,
                DeliveryCount = 2,
            },
            DeliveryAnnotations = new() { ["x-d"] = 1 },
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 9L },
            Properties = new MessageProperties
            {
                MessageId = "id",
                UserId = [1],
                To = "q",
                Subject = "s",
                ReplyTo = "r",
                CorrelationId = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"),
                ContentType = "application/json",
                ContentEncoding = "gzip",
                AbsoluteExpiryTime = DateTimeOffset.FromUnixTimeMilliseconds(5),
                CreationTime = DateTimeOffset.FromUnixTimeMilliseconds(6),
                GroupId = "g",
                GroupSequence = 7,
                ReplyToGroupId = "rg",
            },
            ApplicationProperties = new() { ["k"] = "v", ["n"] = null },
            Data = [new byte[] { 1, 2 }, new byte[] { 3 }],
            Footer = new() { ["f"] = true },
        };

    [Fact]
    public void Message_round_trips_with_every_field() =>
        Assert.Equivalent(Shown(Full), Shown(AmqpMessage.Decode(Full.ToArray())), strict: true);

    // Memory isn't compared by content.
    private static object Shown(AmqpMessage m) =>
        new
        {
            m.Header,
            m.DeliveryAnnotations,
            m.MessageAnnotations,
            m.Properties,
            m.ApplicationProperties,
            m.Footer,
            m.Value,
            Data = m.Data?.ConvertAll(d => d.ToArray()),
        };

    [Fact]
    public void Header_is_written_with_every_field() =>
        // durable=false, no priority, no ttl, first-acquirer=false, delivery-count=0 (AMQP 1.0 §3.2.1)
        Assert.Equal("00 53 70 c0 06 05 42 40 40 42 43", Bytes.Hex(Bytes.Encode(new MessageHeader().Encode)));

    [Fact]
    public void Sections_are_slices_that_can_be_decoded_separately()
    {
        var encoded = Full.ToArray();
        var sections = MessageSections.Split(encoded);

        Assert.Equal(2u, AmqpMessage.Decode(sections.Header).Header?.DeliveryCount);
        Assert.Equal(9L, AmqpMessage.Decode(sections.MessageAnnotations).MessageAnnotations?["x-opt-sequence-number"]);
        Assert.Equal("id", AmqpMessage.Decode(sections.Properties).Properties?.MessageId);
        Assert.Equal("v", AmqpMessage.Decode(sections.ApplicationProperties).ApplicationProperties?["k"]);
        Assert.Equal(2, AmqpMessage.Decode(sections.Body).Data?.Count);
        Assert.Equal(
            [.. sections.Properties.Span, .. sections.ApplicationProperties.Span, .. sections.Body.Span],
            sections.Bare.ToArray()
        );
        Assert.Equal(
            encoded.Length,
            sections.Header.Length
                + sections.DeliveryAnnotations.Length
                + sections.MessageAnnotations.Length
                + sections.Bare.Length
                + sections.Footer.Length
        );
    }

    [Fact]
    public void Message_without_some_sections_is_split()
    {
        var sections = MessageSections.Split(new AmqpMessage { Value = 1 }.ToArray());
        Assert.True(sections.Header.IsEmpty && sections.MessageAnnotations.IsEmpty && sections.Properties.IsEmpty);
        Assert.Equal("00 53 77 54 01", Bytes.Hex(sections.Bare.Span));
        Assert.Equal(1, AmqpMessage.Decode(sections.Bare).Value);
    }

    [Theory]
    [InlineData("00 53 77 40 00 53 70 45")] // The header follows the body.
    [InlineData("00 53 75 a0 00 00 53 77 40")] // Two kinds of bodies.
    [InlineData("00 53 24 45")] // Not a section.
    [InlineData("40")] // Not described.
    public void Invalid_message_is_not_split(string hex) =>
        Assert.Equal(ErrorConditions.DecodeError, Damage.Try(() => MessageSections.Split(Bytes.FromHex(hex))));

    [Fact]
    public void Damaged_messages_cause_only_decode_errors()
    {
        var encoded = Full.ToArray();
        for (var length = 0; length < encoded.Length; length++)
        {
            var cut = encoded.AsMemory(0, length);
            Damage.Try(() => MessageSections.Split(cut));
            Damage.Try(() => AmqpMessage.Decode(cut));
        }
        foreach (var damaged in Damage.FlipEachByte(encoded))
        {
            Damage.Try(() => MessageSections.Split(damaged));
            Damage.Try(() => AmqpMessage.Decode(damaged));
        }
    }
}
