using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The <c>$cbs</c> node. Returns 404 for an unknown entity, like Service Bus, so that SDKs report that it
/// doesn't exist.</summary>
internal static class ClaimsNode
{
    private const int Ok = 200,
        BadRequest = 400,
        Unauthorized = 401,
        NotFound = 404;

    public static AmqpMessage Handle(AmqpMessage request, ServiceBusNamespace entities, ConnectionAccess access)
    {
        var operation = request.ApplicationProperties?.GetValueOrDefault("operation") as string;
        if (operation != "put-token")
            return Reply(BadRequest, $"Unknown $cbs operation '{Excerpt.Of(operation ?? "")}'. Supported: put-token.");
        if (request.ApplicationProperties!.GetValueOrDefault("name") is not string audience)
        {
            return Reply(
                BadRequest,
                "put-token requires the application property 'name' with the audience of the token."
            );
        }
        var address = EntityAddress.Parse(audience);
        if (address.IsTooLong)
            return Reply(BadRequest, $"The address is longer than any entity's: '{Excerpt.Of(audience)}'.");
        var exists =
            address.Path.Length == 0 || (address.FindSource(entities) ?? address.FindTarget(entities)) is not null;
        if (access.Put(request.Value as string, address.AccessPath, exists) is { } why)
            return Reply(Unauthorized, why);
        return exists ? Reply(Ok, "OK") : Reply(NotFound, EntityException.NotFoundText(audience));
    }

    // SDKs expect these names, with hyphens here and without on $management.
    private static AmqpMessage Reply(int status, string description) =>
        new()
        {
            ApplicationProperties = new Dictionary<string, object?>
            {
                ["status-code"] = status,
                ["status-description"] = description,
            },
        };
}
