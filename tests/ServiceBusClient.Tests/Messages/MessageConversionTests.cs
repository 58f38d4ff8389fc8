using System.Runtime.Serialization;
using DroneDelivery.Amqp;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Messages;

public sealed class MessageConversionTests
{
    private static readonly ManualTimeProvider Time = new();

    [Fact]
    public void Times_that_contradict_each_other_leave_the_time_to_live_to_the_header()
    {
        var now = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero);
        var message = new AmqpMessage
        {
            Header = new MessageHeader { Ttl = 5000 },
            Properties = new MessageProperties { CreationTime = now, AbsoluteExpiryTime = now - TimeSpan.FromSeconds(1) },
            Data = [new byte[1]],
        };
        Assert.Equal(TimeSpan.FromSeconds(5), MessageConversion.FromAmqp(message.ToArray(), Guid.Empty).TimeToLive);
    }

    [Fact]
    public void Everything_that_was_set_arrives()
    {
        var sent = new ServiceBusMessage("a body")
        {
            MessageId = "id",
            PartitionKey = "key",
            TransactionPartitionKey = "via",
            SessionId = "session",
            ReplyToSessionId = "reply session",
            TimeToLive = TimeSpan.FromDays(100),
            CorrelationId = "correlation",
            Subject = "subject",
            To = "to",
            ContentType = "application/json",
            ReplyTo = "reply to",
            ScheduledEnqueueTime = new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.Zero),
        };

        var received = MessageConversion.FromAmqp(MessageConversion.ToAmqp(sent, Time).ToArray(), Guid.Empty);

        Assert.Equal("a body", received.Body.ToString());
        Assert.Equal(sent.MessageId, received.MessageId);
        Assert.Equal(sent.PartitionKey, received.PartitionKey);
        Assert.Equal(sent.TransactionPartitionKey, received.TransactionPartitionKey);
        Assert.Equal(sent.SessionId, received.SessionId);
        Assert.Equal(sent.ReplyToSessionId, received.ReplyToSessionId);
        Assert.Equal(sent.TimeToLive, received.TimeToLive);
        Assert.Equal(sent.CorrelationId, received.CorrelationId);
        Assert.Equal(sent.Subject, received.Subject);
        Assert.Equal(sent.To, received.To);
        Assert.Equal(sent.ContentType, received.ContentType);
        Assert.Equal(sent.ReplyTo, received.ReplyTo);
        Assert.Equal(sent.ScheduledEnqueueTime, received.ScheduledEnqueueTime);
    }

    /// <summary>Seen far from UTC alone.</summary>
    [Theory]
    [InlineData(DateTimeKind.Local)]
    [InlineData(DateTimeKind.Utc)]
    public void A_time_of_a_property_stays_the_same_moment(DateTimeKind kind)
    {
        var moment = new DateTime(2030, 1, 2, 3, 4, 5, kind);
        var sent = new ServiceBusMessage { ApplicationProperties = { ["moment"] = moment } };

        var received = MessageConversion.FromAmqp(MessageConversion.ToAmqp(sent, Time).ToArray(), Guid.Empty);

        Assert.Equal(moment.ToUniversalTime(), received.ApplicationProperties["moment"]);
    }

    [Fact]
    public void Each_annotation_arrives_without_the_others()
    {
        var due = new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.Zero);

        Assert.Equal("key", Arrived(new() { PartitionKey = "key" }).PartitionKey);
        Assert.Equal("via", Arrived(new() { TransactionPartitionKey = "via" }).TransactionPartitionKey);
        Assert.Equal(due, Arrived(new() { ScheduledEnqueueTime = due }).ScheduledEnqueueTime);

        static ServiceBusReceivedMessage Arrived(ServiceBusMessage sent) =>
            MessageConversion.FromAmqp(MessageConversion.ToAmqp(sent, Time).ToArray(), Guid.Empty);
    }

    [Fact]
    public void What_was_not_set_is_not_sent()
    {
        var received = MessageConversion.FromAmqp(MessageConversion.ToAmqp(new ServiceBusMessage(), Time).ToArray(), Guid.Empty);

        Assert.Null(received.MessageId);
        Assert.Equal(TimeSpan.MaxValue, received.TimeToLive);
        Assert.Equal(DateTimeOffset.MaxValue, received.ExpiresAt);
        Assert.Empty(received.ApplicationProperties);
        Assert.Empty(received.Body.ToArray());
    }

    public static TheoryData<object> PropertyValues =>
    [
        true, (byte)200, (sbyte)-3, 'x', (short)-300, (ushort)60_000, -70_000, 4_000_000_000u, long.MinValue, ulong.MaxValue, 1.5f, -2.25,
        "text", Guid.Parse("b17b5a48-0000-1111-2222-333344445555"),
        new Uri("http://localhost:5100/a?b=c"), new Uri("relative/path", UriKind.Relative),
        new DateTime(2030, 5, 6, 7, 8, 9, DateTimeKind.Utc), new DateTimeOffset(2030, 5, 6, 7, 8, 9, TimeSpan.Zero),
        TimeSpan.FromTicks(12345),
    ];

    [Theory, MemberData(nameof(PropertyValues))]
    public void Application_properties_keep_value_and_type(object value)
    {
        var sent = new ServiceBusMessage { ApplicationProperties = { ["p"] = value } };

        var received = MessageConversion.FromAmqp(MessageConversion.ToAmqp(sent, Time).ToArray(), Guid.Empty).ApplicationProperties["p"];

        Assert.Equal(value, received);
        Assert.IsType(value.GetType(), received);
    }

    [Fact]
    public void A_property_that_cannot_travel_is_named()
    {
        var sent = new ServiceBusMessage { ApplicationProperties = { ["version"] = new Version(1, 2) } };

        var refusal = Assert.Throws<SerializationException>(() => MessageConversion.ToAmqp(sent, Time));
        Assert.Contains("'version'", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_the_broker_stamped_is_read()
    {
        var token = Guid.NewGuid();
        var enqueued = new DateTimeOffset(2030, 1, 1, 0, 0, 1, TimeSpan.Zero);
        var message = new AmqpMessage
        {
            Header = new MessageHeader { DeliveryCount = 2 },
            MessageAnnotations = new()
            {
                ["x-opt-sequence-number"] = 7L,
                ["x-opt-enqueue-sequence-number"] = 6L,
                ["x-opt-enqueued-time"] = enqueued,
                ["x-opt-locked-until"] = enqueued.AddMinutes(1),
                ["x-opt-message-state"] = 1,
                ["x-opt-deadletter-source"] = "orders",
            },
            ApplicationProperties = new() { ["DeadLetterReason"] = "why", ["DeadLetterErrorDescription"] = "how" },
            Data = [new byte[] { 1 }, new byte[] { 2, 3 }],
        }.ToArray();

        var received = MessageConversion.FromAmqp(message, token);
        var peeked = MessageConversion.FromAmqp(message, Guid.Empty, peeked: true);

        Assert.Equal(3, received.DeliveryCount);
        Assert.Equal(2, peeked.DeliveryCount);
        Assert.Equal(7, received.SequenceNumber);
        Assert.Equal(6, received.EnqueuedSequenceNumber);
        Assert.Equal(enqueued, received.EnqueuedTime);
        Assert.Equal(enqueued.AddMinutes(1), received.LockedUntil);
        Assert.Equal(ServiceBusMessageState.Deferred, received.State);
        Assert.Equal("orders", received.DeadLetterSource);
        Assert.Equal("why", received.DeadLetterReason);
        Assert.Equal("how", received.DeadLetterErrorDescription);
        Assert.Equal(token.ToString(), received.LockToken);
        Assert.Equal([1, 2, 3], received.Body.ToArray());
    }

    [Fact]
    public void A_body_that_is_not_bytes_says_so_when_it_is_read()
    {
        var received = MessageConversion.FromAmqp(new AmqpMessage { Value = "text" }.ToArray(), Guid.Empty);

        Assert.Throws<NotSupportedException>(() => received.Body);
    }

    [Fact]
    public void A_copy_of_a_received_message_is_fresh()
    {
        var received = ServiceBusModelFactory.ServiceBusReceivedMessage(
            BinaryData.FromString("body"),
            messageId: "id",
            deliveryCount: 3,
            scheduledEnqueueTime: Time.GetUtcNow(),
            properties: new Dictionary<string, object>
            {
                ["DeadLetterReason"] = "why",
                ["Diagnostic-Id"] = "00-1",
                ["traceparent"] = "00-1",
                ["mine"] = 1,
            });

        var copy = new ServiceBusMessage(received);

        Assert.Equal("body", copy.Body.ToString());
        Assert.Equal("id", copy.MessageId);
        Assert.Equal(default, copy.ScheduledEnqueueTime);
        Assert.Equal(["mine"], copy.ApplicationProperties.Keys);
    }

    [Fact]
    public void Ids_are_limited_to_128_characters()
    {
        Assert.Throws<ArgumentException>(() => new ServiceBusMessage { MessageId = new string('x', 129) });
        Assert.Throws<ArgumentException>(() => new ServiceBusMessage { MessageId = "" });
        Assert.Throws<ArgumentException>(() => new ServiceBusMessage { SessionId = new string('x', 129) });
        Assert.Throws<ArgumentOutOfRangeException>(() => new ServiceBusMessage { TimeToLive = TimeSpan.Zero });
        Assert.Equal(128, new ServiceBusMessage { MessageId = new string('x', 128) }.MessageId.Length);
    }
}
