using System.Text;
using System.Text.Json;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>A message that a user enters on the page. It's sent like a client's message.</summary>
internal sealed record WrittenMessage(
    string Body,
    string? MessageId = null,
    string? SessionId = null,
    string? Subject = null,
    string? ContentType = null,
    Dictionary<string, JsonElement>? Properties = null
)
{
    /// <returns><c>null</c> if the queue or topic accepted the message; otherwise, the error.</returns>
    public AmqpError? Send(Queue target)
    {
        var encoded = Encode();
        if (encoded.Length > target.Options.MaxMessageSize)
            return ClientErrors.TooLarge(target);
        try
        {
            var options = target.Options;
            var content = IncomingMessage.Read(encoded, options.RequiresDuplicateDetection, options.ReadsSessions);
            var request = new SendRequest(target, [content]);
            target.Do(request);
            return request.IsRejected ? ClientErrors.Of(request) : null;
        }
        catch (AmqpException error)
        {
            return error.Error;
        }
    }

    private byte[] Encode() =>
        new AmqpMessage
        {
            Properties = new MessageProperties
            {
                MessageId = MessageId,
                GroupId = SessionId,
                Subject = Subject,
                ContentType = ContentType is null ? null : (Symbol?)ContentType,
            },
            ApplicationProperties = Properties?.ToDictionary(
                property => property.Key,
                property => Value(property.Value)
            ),
            Data = [Encoding.UTF8.GetBytes(Body)],
        }.ToArray();

    private static object? Value(JsonElement value) =>
        value.ValueKind switch
        {
            JsonValueKind.True or JsonValueKind.False => value.GetBoolean(),
            JsonValueKind.Number when value.TryGetInt64(out var whole) => whole,
            JsonValueKind.Number => value.GetDouble(),
            JsonValueKind.Null => null,
            _ => value.ToString(),
        };
}
