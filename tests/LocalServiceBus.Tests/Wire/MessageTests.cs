using System.Runtime.InteropServices;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

public sealed class MessageTests
{
    private static readonly DateTimeOffset Now = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);

    [Fact]
    public void Message_arrives_unchanged_except_for_broker_annotations()
    {
        var sent = Message("hello");
        sent.MessageAnnotations!["x-opt-sequence-number"] = 999L;
        sent.MessageAnnotations["x-opt-locked-until"] = Now;
        var received = AmqpMessage.Decode(Deliver(Read(sent)));
        Assert.Equal("hello", Encoding.UTF8.GetString(Assert.Single(received.Data!).Span));
        Assert.Equal("id-1", received.Properties!.MessageId);
        Assert.Equal(7, received.ApplicationProperties!["weight"]);
        Assert.Equal((true, (byte)4, 5000u), (received.Header!.Durable, received.Header.Priority, received.Header.Ttl));
        Assert.Equal("tail", received.Footer!["f"]);
        Assert.Equal("p1", received.MessageAnnotations!["x-opt-partition-key"]);
        Assert.Equal(42L, received.MessageAnnotations["x-opt-sequence-number"]);
        Assert.False(received.MessageAnnotations.ContainsKey("x-opt-locked-until"));
        Assert.Null(received.DeliveryAnnotations);
    }

    [Theory]
    [InlineData(uint.MaxValue, 100, 100)]
    [InlineData(5000u, 100, 5.0 / 86_400)] // The time that the sender had left, with the original properties.
    [InlineData(uint.MaxValue, -1, uint.MaxValue / 86_400_000.0)]
    public void Time_to_live_beyond_the_header_is_read_from_the_properties(
        uint header,
        int daysBetween,
        double expectedDays
    )
    {
        var message = Message("a");
        message.Header!.Ttl = header;
        (message.Properties!.CreationTime, message.Properties.AbsoluteExpiryTime) = (Now, Now.AddDays(daysBetween));

        Assert.Equal(expectedDays, Read(message).TimeToLive!.Value.TotalDays, 6);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Shortened_time_to_live_is_sent_in_header_and_properties(bool isChanged)
    {
        var sent = Message("hello");
        sent.Header!.Ttl = 3_600_000;
        sent.Properties = new()
        {
            MessageId = "id-1",
            Subject = "s",
            GroupId = "p1",
        };
        (sent.Properties.CreationTime, sent.Properties.AbsoluteExpiryTime) = (Now, Now.AddHours(1));
        var message = Queued(Read(sent));
        message.ExpiresAt = Now.AddMinutes(1);
        if (isChanged)
            message.ChangeProperties(new Dictionary<string, object?> { ["color"] = "red" });

        var received = AmqpMessage.Decode(OutgoingMessage.ToArray(message, null));

        Assert.Equal(60_000u, received.Header!.Ttl);
        var properties = received.Properties!;
        Assert.Equal((Now, Now.AddMinutes(1)), (properties.CreationTime, properties.AbsoluteExpiryTime));
        Assert.Equal(("id-1", "s", "p1"), (properties.MessageId, properties.Subject, properties.GroupId));
        Assert.Equal(
            (7, isChanged),
            (received.ApplicationProperties!["weight"], received.ApplicationProperties.ContainsKey("color"))
        );
        Assert.Equal("hello", Encoding.UTF8.GetString(Assert.Single(received.Data!).Span));
    }

    [Fact]
    public void Annotations_have_the_types_that_clients_cast_to()
    {
        var message = Queued(Read(Message("a")), deliveryCount: 2);
        var held = new MessageLock(Guid.NewGuid(), Now + TimeSpan.FromTicks(12_345_678));
        var received = AmqpMessage.Decode(OutgoingMessage.ToArray(message, held));
        var annotations = received.MessageAnnotations!;
        Assert.Equal(42L, annotations["x-opt-sequence-number"]);
        Assert.Equal(41L, annotations["x-opt-enqueue-sequence-number"]);
        Assert.Equal(Now, annotations["x-opt-enqueued-time"]);
        // Rounded down to milliseconds on the wire, so that it is never later than the actual expiry.
        Assert.Equal(Now + TimeSpan.FromMilliseconds(1234), annotations["x-opt-locked-until"]);
        Assert.Equal(2u, received.Header!.DeliveryCount);
    }

    [Fact]
    public void Bare_message_gets_a_header()
    {
        var received = AmqpMessage.Decode(Deliver(Read(new AmqpMessage { Value = "text" })));
        Assert.Equal(0u, received.Header!.DeliveryCount);
        Assert.Equal("text", received.Value);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Batch_is_unwrapped_regardless_of_its_count(int count)
    {
        var envelope = new AmqpMessage
        {
            Data = [.. Enumerable.Range(0, count).Select(i => (ReadOnlyMemory<byte>)Message($"text {i}").ToArray())],
        };
        var messages = IncomingMessage.Read(envelope.ToArray(), IncomingMessage.BatchFormat, withMessageId: true);
        Assert.Equal(
            Enumerable.Range(0, count).Select(i => $"text {i}"),
            messages.Select(message => Encoding.UTF8.GetString(AmqpMessage.Decode(message.Body).Data![0].Span))
        );
        Assert.All(messages, message => Assert.Equal("id-1", message.MessageId));
    }

    [Fact]
    public void Binary_message_ids_are_distinguished()
    {
        byte[][] ids =
        [
            [1, 2],
            [1, 2],
            [1, 3],
        ];
        var read = ids.Select(id =>
                new AmqpMessage
                {
                    Properties = new() { MessageId = id },
                    Value = 1,
                }.ToArray()
            )
            .Select(message => IncomingMessage.Read(message, withMessageId: true).MessageId)
            .ToList();
        Assert.Equal(read[0], read[1]);
        Assert.NotEqual(read[0], read[2]);
    }

    [Theory]
    [InlineData("a symbol as name of an application property", "005374C10602A301615401")]
    [InlineData("two application properties of the same name", "005374C10B04A101615401A101615402")]
    [InlineData("a list of application properties", "005374C003015401")]
    [InlineData("more application properties than their count", "005374C10600A101615401")]
    [InlineData("an int as correlation id, and no id", "005373C0080640404040405407")]
    [InlineData("an annotation whose name is not ASCII", "005372C10702A102C3A45401")]
    [InlineData("two annotations of the same name", "005372C10904A3016140A3016140")]
    [InlineData("an annotation whose value has more items than bytes", "005372C10802A30161C0020540")]
    [InlineData("an annotation with a number for name", "005372C10402540140")]
    public void Message_that_cannot_be_redelivered_is_rejected(string what, string section)
    {
        byte[] encoded = [.. Convert.FromHexString(section), .. new AmqpMessage { Value = "text" }.ToArray()];
        var refusal = Assert.Throws<AmqpException>(() => IncomingMessage.Read(encoded, withMessageId: false));
        Assert.True(refusal.Error is { Condition.Value: ErrorConditions.DecodeError }, what);
    }

    [Theory]
    [InlineData(65_000, true)]
    [InlineData(66_000, false)]
    public void Sections_before_the_body_are_limited_to_64_KB(int length, bool isTaken)
    {
        var message = Message(new string('x', 100_000));
        message.ApplicationProperties!["large"] = new string('x', length);

        var refusal = Record.Exception(() => Read(message)) as AmqpException;

        Assert.Equal(isTaken ? null : ErrorConditions.MessageSizeExceeded, refusal?.Error.Condition.Value);
    }

    [Theory]
    [InlineData(16)] // Compared one by one.
    [InlineData(17)] // Compared with a table.
    public void Duplicate_property_name_is_rejected_among_many(int names)
    {
        var good = Encode(repeated: names);
        Assert.Equal(good, IncomingMessage.Read(good, withMessageId: false).Body.ToArray());
        Assert.Throws<AmqpException>(() => IncomingMessage.Read(Encode(repeated: names - 1), withMessageId: false));

        // The property at this index has the name of the first.
        byte[] Encode(int repeated)
        {
            using var writer = new AmqpWriter();
            new MessageProperties { MessageId = "id-1" }.Encode(writer);
            writer.WriteDescriptor(SectionCode.ApplicationProperties);
            var map = writer.BeginMap();
            for (var i = 0; i < names; i++)
            {
                writer.WriteString($"name {(i == repeated ? 0 : i)}");
                writer.WriteInt(i);
            }
            writer.EndMap(map, 2 * names);
            return [.. writer.WrittenSpan, .. new AmqpMessage { Value = 1 }.ToArray()];
        }
    }

    [Theory]
    [InlineData(false, false, false, true)]
    [InlineData(true, false, false, true)]
    [InlineData(false, true, false, false)] // The properties change their size.
    [InlineData(true, true, false, false)]
    [InlineData(false, false, true, false)] // The annotations are not moved.
    [InlineData(true, true, true, false)]
    public void Message_id_is_written_in_place_when_there_is_room(
        bool hasHeader,
        bool hasProperties,
        bool hasAnnotations,
        bool isInPlace
    )
    {
        var message = Message("text");
        message.DeliveryAnnotations = null;
        message.Header = hasHeader ? message.Header : null;
        message.Properties = hasProperties ? new MessageProperties { Subject = "label", GroupId = "p1" } : null;
        message.MessageAnnotations = hasAnnotations ? message.MessageAnnotations : null;
        var encoded = message.ToArray();
        byte[] buffer = [.. new byte[IncomingMessage.Headroom], .. encoded];

        var content = IncomingMessage.Read(
            buffer.AsMemory(IncomingMessage.Headroom),
            withMessageId: true,
            withSessionId: true,
            buffer
        );

        Assert.Null(content.MessageId); // Duplicate detection has nothing to remember.
        var delivered = AmqpMessage.Decode(Deliver(content));
        Assert.Equal(32, Assert.IsType<string>(delivered.Properties!.MessageId).Length);
        var copied = AmqpMessage.Decode(
            Deliver(IncomingMessage.Read(encoded, withMessageId: true, withSessionId: true))
        );
        Assert.NotEqual(copied.Properties!.MessageId, delivered.Properties.MessageId);
        delivered.Properties.MessageId = copied.Properties.MessageId;
        Assert.Equal(copied.ToArray(), delivered.ToArray());
        Assert.True(MemoryMarshal.TryGetArray(content.Body, out var kept));
        Assert.Equal(isInPlace, ReferenceEquals(buffer, kept.Array));
    }

    [Fact]
    public void Annotation_with_a_string_key_is_sent_with_a_symbol()
    {
        byte[] encoded =
        [
            .. Convert.FromHexString("005372C10602A101615405"),
            .. new AmqpMessage { Value = "text" }.ToArray(),
        ];
        var content = IncomingMessage.Read(encoded, withMessageId: false);
        Assert.Equal(5, AmqpMessage.Decode(Deliver(content)).MessageAnnotations!["a"]);
        // The message gets an id of 49 bytes, and the annotations are copied.
        Assert.Equal(content.Body.Length + content.Annotations.Length, content.WireSize);
    }

    [Fact]
    public void Batch_contains_between_one_and_ten_thousand_messages()
    {
        ReadOnlyMemory<byte> small = new AmqpMessage { Value = 1 }.ToArray();
        Assert.Equal(10_000, Batch(10_000).Length);
        Assert.Throws<AmqpException>(() => Batch(10_001));
        var without = new AmqpMessage { Value = "text" }.ToArray();
        Assert.Throws<AmqpException>(() =>
            IncomingMessage.Read(without, IncomingMessage.BatchFormat, withMessageId: false)
        );

        MessageContent[] Batch(int count) =>
            IncomingMessage.Read(
                new AmqpMessage { Data = [.. Enumerable.Repeat(small, count)] }.ToArray(),
                IncomingMessage.BatchFormat,
                withMessageId: false
            );
    }

    [Fact]
    public void Opaque_property_is_kept_when_others_change()
    {
        // A map with a duplicate key: well-formed as far as the broker checks.
        var value = Convert.FromHexString("C10B04A101615401A101615402");
        byte[] encoded =
        [
            .. Convert.FromHexString("005374C11102A1016D"),
            .. value,
            .. new AmqpMessage { Value = "text" }.ToArray(),
        ];
        var message = Queued(IncomingMessage.Read(encoded, withMessageId: false));
        message.ChangeProperties(new Dictionary<string, object?> { ["DeadLetterReason"] = "late" });
        Assert.True(OutgoingMessage.ToArray(message, null).AsSpan().IndexOf(value) > 0);
    }

    private static AmqpMessage Message(string text) =>
        new()
        {
            Header = new MessageHeader
            {
                Durable = true,
                Priority = 4,
                Ttl = 5000,
                DeliveryCount = 9,
            },
            DeliveryAnnotations = new() { ["hop"] = 1 },
            MessageAnnotations = new() { ["x-opt-partition-key"] = "p1" },
            Properties = new MessageProperties { MessageId = "id-1" },
            ApplicationProperties = new() { ["weight"] = 7 },
            Data = [Encoding.UTF8.GetBytes(text)],
            Footer = new() { ["f"] = "tail" },
        };

    private static MessageContent Read(AmqpMessage message) =>
        IncomingMessage.Read(message.ToArray(), withMessageId: false);

    private static byte[] Deliver(MessageContent content) => OutgoingMessage.ToArray(Queued(content), null);

    private static QueuedMessage Queued(MessageContent content, int deliveryCount = 0) =>
        new(content, Now)
        {
            SequenceNumber = 42,
            EnqueuedSequenceNumber = 41,
            DeliveryCount = deliveryCount,
        };
}
