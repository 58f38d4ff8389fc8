using System.Globalization;
using System.Text;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using static DroneDelivery.LocalServiceBus.Page.StatusPage;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>The first messages of a queue or of its dead-letter queue. Looking changes nothing: no lock, no delivery count.</summary>
internal static class MessagesPage
{
    private const int MostMessages = 50, MostCharacters = 500, MostProperties = 20;

    // More of a message is not decoded: the page is to be quick whatever the queue holds.
    private const int LargestDecoded = 1024 * 1024;

    private static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public static string Of(ServiceBusNamespace entities, string name, bool deadLetters)
    {
        if (entities.FindSource(name) is not { } queue || (deadLetters && queue.DeadLetterQueue is null))
            return Document("Local Service Bus", $"<p>There is no queue '{Encode(Excerpt.Of(name))}'. {Back}</p>", reloads: false);
        var title = deadLetters ? $"Dead letters of {queue.Name}" : queue.Name;
        var messages = (deadLetters ? queue.DeadLetterQueue! : queue).Peek(0, MostMessages);
        var html = new StringBuilder($"<p>{Back} · {Link(queue.Name, !deadLetters, deadLetters ? "Messages" : "Dead letters")}</p>");
        if (messages.Count == 0)
            return Document(title, html.Append("<p>There are no messages.</p>").ToString(), reloads: true);
        html.Append($"<div class=wide><table><caption>The first {messages.Count}, in the order of the queue</caption><thead><tr>");
        foreach (var heading in new[] { "Number", "State", "Deliveries", "Enqueued", deadLetters ? "Reason" : "Properties", "Body" })
            html.Append($"<th scope=col>{heading}");
        html.Append("</thead><tbody>");
        foreach (var message in messages)
            Row(html, message, deadLetters);
        return Document(title, html.Append("</tbody></table></div>").ToString(), reloads: true);
    }

    private const string Back = "<a href=\"/\">All queues</a>";

    private static void Row(StringBuilder html, QueuedMessage message, bool deadLetters)
    {
        var (properties, body) = Decode(message);
        var state = message.IsDeferred ? MessageState.Deferred : message.State;
        html.Append(CultureInfo.InvariantCulture, $"<tr><td>{message.SequenceNumber}<td>{state}")
            .Append(CultureInfo.InvariantCulture, $"<td>{message.DeliveryCount}<td>{message.EnqueuedAt:u}<td>");
        if (deadLetters)
        {
            html.Append($"<strong>{Encode(Text(properties.GetValueOrDefault(DeadLetterReason.Property)))}</strong> ")
                .Append(Encode(Text(properties.GetValueOrDefault(DeadLetterReason.DescriptionProperty))));
        }
        else
        {
            foreach (var (name, value) in properties.Take(MostProperties))
                html.Append($"{Encode(Short(name))} = {Encode(Text(value))}<br>");
        }
        html.Append($"<td><code>{Encode(body)}</code>");
    }

    private static (Dictionary<string, object?> Properties, string Body) Decode(QueuedMessage message)
    {
        if (message.Content.Body.Length > LargestDecoded)
            return ([], $"{message.Content.Body.Length} bytes");
        try
        {
            var decoded = AmqpMessage.Decode(OutgoingMessage.ToArray(message, null));
            return (decoded.ApplicationProperties ?? [], decoded.Data is [var data, ..] ? Text(data) : Text(decoded.Value));
        }
        catch (AmqpException)
        {
            return ([], $"{message.Content.Body.Length} bytes that are no AMQP message");
        }
    }

    private static string Text(ReadOnlyMemory<byte> data)
    {
        try
        {
            return Short(StrictUtf8.GetString(data.Span));
        }
        catch (DecoderFallbackException)
        {
            return $"{data.Length} bytes: {Convert.ToHexString(data.Span[..Math.Min(data.Length, 32)])}…";
        }
    }

    private static string Text(object? value) =>
        value is byte[] bytes ? Text(new ReadOnlyMemory<byte>(bytes)) : Short(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "");

    private static string Short(string text) => text.Length <= MostCharacters ? text : $"{text[..MostCharacters]}…";
}
