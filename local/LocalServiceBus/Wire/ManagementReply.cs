using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

internal static class ManagementReply
{
    public static AmqpMessage Ok() => Reply(200, "OK", []);

    public static AmqpMessage Ok(string name, object? value) => Ok(new() { [name] = value });

    public static AmqpMessage Ok(Dictionary<object, object?> body) => Reply(200, "OK", body);

    public static AmqpMessage Empty() => Reply(204, "No Content", []);

    public static AmqpMessage Failed(AmqpError error)
    {
        var reply = Reply(StatusOf(error.Condition), error.Description, []);
        // SDKs cast the value to a symbol.
        reply.ApplicationProperties!["errorCondition"] = error.Condition;
        return reply;
    }

    public static bool IsFailed(AmqpMessage reply) => reply.ApplicationProperties!.ContainsKey("errorCondition");

    public static Dictionary<object, object?> Entry(byte[] encoded, MessageLock? held)
    {
        var entry = new Dictionary<object, object?> { ["message"] = encoded };
        if (held is not null)
            entry["lock-token"] = held.Token;
        return entry;
    }

    private static AmqpMessage Reply(int status, string? description, Dictionary<object, object?> body) =>
        new()
        {
            ApplicationProperties = new Dictionary<string, object?>
            {
                ["statusCode"] = status,
                ["statusDescription"] = description,
            },
            Value = body,
        };

    private static int StatusOf(Symbol condition) =>
        condition.Value switch
        {
            ErrorConditions.UnauthorizedAccess => 401,
            ErrorConditions.ResourceLimitExceeded
            or ServiceBusErrors.EntityDisabled
            or ErrorConditions.MessageSizeExceeded => 403,
            ErrorConditions.NotFound or ServiceBusErrors.MessageNotFound => 404,
            ServiceBusErrors.EntityAlreadyExists => 409,
            ServiceBusErrors.MessageLockLost or ServiceBusErrors.SessionLockLost => 410,
            ErrorConditions.InternalError => 500,
            ErrorConditions.NotImplemented => 501,
            _ => 400,
        };
}
