using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.OpenApi;

namespace DroneDelivery.Ingestion;

/// <summary>
/// <c>PATCH /api/deliveryrequests/{id}</c>: 202 when the broker has the wish. Whether the delivery exists shows later, at its status: the
/// request for it may still be in the queue.
/// </summary>
internal static class RescheduleDelivery
{
    private static readonly Dictionary<string, string[]> NothingToChange = new()
    {
        ["$"] = ["Give at least one of pickupLocation, dropOffLocation, pickupTime, deadline."],
    };

    private static readonly Dictionary<string, string[]> OtherDelivery = new()
    {
        ["deliveryId"] = ["Leave it out, or give the id of the route."],
    };

    private static readonly Dictionary<string, JsonSchemaType> Changes = new()
    {
        ["pickupLocation"] = JsonSchemaType.Object,
        ["dropOffLocation"] = JsonSchemaType.Object,
        ["pickupTime"] = JsonSchemaType.String,
        ["deadline"] = JsonSchemaType.String,
    };

    /// <summary>Says in the OpenAPI document that at least one change has to be there, and not null.</summary>
    public static Task DescribeAsync(OpenApiSchema schema, OpenApiSchemaTransformerContext context, CancellationToken cancellationToken)
    {
        if (context.JsonTypeInfo.Type == typeof(RescheduleRequest))
        {
            schema.AnyOf = [.. Changes.Select(change => new OpenApiSchema
            {
                Required = new HashSet<string> { change.Key },
                Properties = new Dictionary<string, IOpenApiSchema> { [change.Key] = new OpenApiSchema { Type = change.Value } },
            })];
        }
        return Task.CompletedTask;
    }

    public static async Task<Results<AcceptedMessage<RescheduleRequest>, ValidationProblem, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        string? acceptance,
        RescheduleRequest changes,
        HttpContext context,
        Owners owners,
        DeliveryQueue queue,
        TimeProvider time)
    {
        if (changes.DeliveryId is { } named && named != id)
            return TypedResults.ValidationProblem(OtherDelivery);
        if (changes is { PickupLocation: null, DropOffLocation: null, PickupTime: null, Deadline: null })
            return TypedResults.ValidationProblem(NothingToChange);
        if (RequestTimes.RefusalOf(changes.PickupTime, changes.Deadline, time) is { } mistake)
            return mistake;
        if (await owners.RefusalOfChangeAsync(context, id, acceptance) is { } refusal)
            return refusal;

        var accepted = changes with { DeliveryId = id };
        // A reschedule is a new wish each time: A, then B, then A again ends with A.
        var json = await queue.SendAsync(QueueMessage.Reschedule, id, messageId: $"{id}/reschedule/{Guid.NewGuid():N}", accepted);
        return new AcceptedMessage<RescheduleRequest>(FollowDelivery.Location(id), json);
    }
}
