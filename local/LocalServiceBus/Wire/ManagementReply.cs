using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Replies of <c>$management</c>.</summary>
internal static class ManagementReply
{
    public static AmqpMessage Ok() => Reply(200, "OK", []);

    public static AmqpMessage Ok(string name, object? value) => Ok(new() { [name] = value });

    public static AmqpMessage Ok(Dictionary<object, object?> body) => Reply(200, "OK", body);

    /// <summary>Nothing to show, which is no error.</summary>
    public static AmqpMessage Empty() => Reply(204, "No Content", []);

    public static AmqpMessage NotFound(string kind) => Failed(404, Refusal.MessageNotFound(kind));

    public static AmqpMessage Failed(int status, AmqpError error)
    {
        var reply = Reply(status, error.Description, []);
        // A symbol: SDKs fail to cast a string.
        reply.ApplicationProperties!["errorCondition"] = error.Condition;
        return reply;
    }

    public static bool IsFailed(AmqpMessage reply) => reply.ApplicationProperties!.ContainsKey("errorCondition");

    /// <summary>A message within a reply.</summary>
    public static Dictionary<object, object?> Entry(byte[] encoded, MessageLock? held)
    {
        var entry = new Dictionary<object, object?> { ["message"] = encoded };
        if (held is not null)
            entry["lock-token"] = held.Token;
        return entry;
    }

    private static AmqpMessage Reply(int status, string? description, Dictionary<object, object?> body) => new()
    {
        ApplicationProperties = new Dictionary<string, object?> { ["statusCode"] = status, ["statusDescription"] = description },
        Value = body,
    };
}
