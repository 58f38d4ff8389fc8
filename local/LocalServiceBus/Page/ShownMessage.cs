using System.Globalization;
using System.Text;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>A message in readable form. Peeking doesn't lock it or change its delivery count.</summary>
internal sealed record ShownMessage(
    long SequenceNumber,
    string State,
    int DeliveryCount,
    DateTimeOffset EnqueuedAt,
    IReadOnlyDictionary<string, string> System,
    IReadOnlyDictionary<string, string> Properties,
    string Body
)
{
    private const int MaxMessages = 50,
        MaxCharacters = 10_000;

    // Larger messages aren't decoded, so that the page stays fast.
    private const int MaxDecodedSize = 1024 * 1024;

    private static readonly UTF8Encoding StrictUtf8 = new(
        encoderShouldEmitUTF8Identifier: false,
        throwOnInvalidBytes: true
    );

    public static IReadOnlyList<ShownMessage> Of(Queue queue, long from) =>
        [.. queue.Peek(from, MaxMessages).Select(Of)];

    private static ShownMessage Of(QueuedMessage message)
    {
        var state = message.IsDeferred ? MessageState.Deferred : message.State;
        var shown = new ShownMessage(
            message.SequenceNumber,
            state.ToString(),
            message.DeliveryCount,
            message.EnqueuedAt,
            new Dictionary<string, string>(),
            new Dictionary<string, string>(),
            $"{message.Content.Body.Length} bytes"
        );
        if (message.Content.Body.Length > MaxDecodedSize)
            return shown;
        try
        {
            var decoded = AmqpMessage.Decode(OutgoingMessage.ToArray(message, null));
            return shown with
            {
                System = Texts(SystemOf(decoded.Properties ?? new())),
                Properties = Texts(decoded.ApplicationProperties ?? []),
                Body = decoded.Data is [var data, ..] ? Text(data) : Text(decoded.Value),
            };
        }
        catch (AmqpException)
        {
            return shown with { Body = $"{shown.Body} that are not an AMQP message" };
        }
    }

    private static Dictionary<string, object?> SystemOf(MessageProperties properties) =>
        new()
        {
            ["MessageId"] = properties.MessageId,
            ["CorrelationId"] = properties.CorrelationId,
            ["SessionId"] = properties.GroupId,
            ["Subject"] = properties.Subject,
            ["ContentType"] = properties.ContentType?.Value,
            ["To"] = properties.To,
            ["ReplyTo"] = properties.ReplyTo,
        };

    private static Dictionary<string, string> Texts(Dictionary<string, object?> properties) =>
        properties
            .Where(property => property.Value is not null)
            .ToDictionary(property => property.Key, property => Text(property.Value));

    private static string Text(object? value) =>
        value is byte[] bytes
            ? Text(new ReadOnlyMemory<byte>(bytes))
            : Excerpt.Of(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "", MaxCharacters);

    private static string Text(ReadOnlyMemory<byte> data)
    {
        try
        {
            return Excerpt.Of(StrictUtf8.GetString(data.Span), MaxCharacters);
        }
        catch (DecoderFallbackException)
        {
            return $"{data.Length} bytes: {Convert.ToHexString(data.Span[..Math.Min(data.Length, 32)])}…";
        }
    }
}
