using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary>
/// <c>PATCH /api/deliveryrequests/{id}</c>: 202 when the broker has acknowledged the change. The delivery's request may still be queued.
/// </summary>
internal static class RescheduleDelivery
{
    public static async Task<Results<Accepted<RescheduleRequest>, ValidationProblem, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        string? acceptance,
        RescheduleRequest changes,
        HttpContext context,
        Owners owners,
        DeliveryQueue queue,
        TimeProvider time
    )
    {
        if (changes.DeliveryId is { } named && named != id)
        {
            return TypedResults.ValidationProblem([
                new("deliveryId", ["Must be absent or equal to the id of the route."]),
            ]);
        }
        if (changes is { PickupLocation: null, DropOffLocation: null, PickupTime: null, Deadline: null })
        {
            return TypedResults.ValidationProblem([
                new("$", ["Specify at least one of pickupLocation, dropOffLocation, pickupTime, deadline."]),
            ]);
        }
        if (RequestTimes.FindError(changes.PickupTime, changes.Deadline, time) is { } error)
            return error;
        if (await owners.FindRejectionAsync(context, id, acceptance) is { } rejection)
            return rejection;

        var accepted = changes with { DeliveryId = id };
        // Always a new id, because duplicate detection would drop the last of the changes A, B, A.
        await queue.SendAsync(QueueMessage.Reschedule, id, messageId: $"{id}/reschedule/{Guid.NewGuid():N}", accepted);
        return TypedResults.Accepted(DeliveryRequestsApi.GetStatusUrl(id), accepted);
    }
}
