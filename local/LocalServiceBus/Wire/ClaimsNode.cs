using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The <c>$cbs</c> node. An audience that is no entity is answered as the service does, because SDKs learn from it that the
/// entity does not exist.</summary>
internal static class ClaimsNode
{
    private const int Ok = 200,
        BadRequest = 400,
        Unauthorized = 401,
        NotFound = 404;

    public static AmqpMessage Answer(AmqpMessage request, ServiceBusNamespace entities, ConnectionAccess access)
    {
        var operation = request.ApplicationProperties?.GetValueOrDefault("operation") as string;
        if (operation != "put-token")
            return Reply(BadRequest, $"Unknown $cbs operation '{Excerpt.Of(operation ?? "")}'. Supported: put-token.");
        if (request.ApplicationProperties!.GetValueOrDefault("name") is not string audience)
            return Reply(BadRequest, "put-token needs the application property 'name': the audience of the token.");
        var address = EntityAddress.Parse(audience);
        if (address.IsTooLong)
            return Reply(BadRequest, $"The address is longer than any entity's: '{Excerpt.Of(audience)}'.");
        var isThere =
            address.Path.Length == 0 || (address.FindSource(entities) ?? address.FindTarget(entities)) is not null;
        if (access.Put(request.Value as string, address.AccessPath, isThere) is { } why)
            return Reply(Unauthorized, why);
        return isThere ? Reply(Ok, "OK") : Reply(NotFound, EntityException.NotFoundText(audience));
    }

    // Here the names have hyphens, and on $management they do not: SDKs read exactly these.
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
