using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>Messages for rules, encoded as by a sender.</summary>
internal static class RuleMessages
{
    public static readonly DateTimeOffset Noon = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);

    public static MessageContent Content(
        MessageProperties properties,
        params (string Name, object? Value)[] applicationProperties
    ) =>
        IncomingMessage.Read(
            new AmqpMessage
            {
                Properties = properties,
                ApplicationProperties = applicationProperties.ToDictionary(one => one.Name, one => one.Value),
                Data = ["body"u8.ToArray()],
            }.ToArray(),
            withMessageId: true,
            withSessionId: true
        );

    public static IRuleMessage Message(
        MessageProperties properties,
        params (string Name, object? Value)[] applicationProperties
    ) => new RuleMessage(new QueuedMessage(Content(properties, applicationProperties), Noon));

    public static List<(string Id, long Number, long FirstNumber)> Held(this Queue queue) =>
        [
            .. queue
                .Peek(0, 100)
                .Select(message => (IdOf(message), message.SequenceNumber, message.EnqueuedSequenceNumber)),
        ];

    private static string IdOf(QueuedMessage message) =>
        (string)AmqpMessage.Decode(message.Content.Body).Properties!.MessageId!;

    public static IRuleMessage Sample() =>
        Message(
            new MessageProperties
            {
                MessageId = "m-1",
                Subject = "red",
                CorrelationId = 17ul,
                To = "there",
                ContentType = "text/plain",
            },
            ("color", "blue"),
            ("quantity", 100),
            ("price", 9.5),
            ("small", (byte)3),
            ("big", ulong.MaxValue),
            ("on", true),
            ("off", false),
            ("nothing", null),
            ("at", Noon),
            ("id", Guid.Empty),
            ("two words", "x"),
            ("Path", "a_b%c")
        );
}
