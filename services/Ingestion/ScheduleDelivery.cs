using System.Security.Claims;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Idempotency;
using DroneDelivery.ServiceDefaults.Security;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary>
/// <c>POST /api/deliveryrequests</c>: 202 when the broker has acknowledged the request. A deliveryId makes the request idempotent.
/// </summary>
internal static class ScheduleDelivery
{
    public static async Task<Results<Accepted<DeliveryRequest>, ValidationProblem, ProblemHttpResult>> HandleAsync(
        DeliveryRequest request,
        ClaimsPrincipal user,
        Callers callers,
        DeliveryQueue queue,
        AcceptanceTokens tokens,
        TimeProvider time
    )
    {
        var owner = callers.OwnerOf(user);
        if (owner is not null && owner != request.OwnerId)
            return Owners.OtherOwner();
        if (RequestTimes.FindError(request.PickupTime, request.Deadline, time) is { } error)
            return error;

        var now = time.GetUtcNow();
        // Version 7 ids are ordered by time, which keeps database indexes compact.
        var deliveryId = request.DeliveryId ?? Guid.CreateVersion7(now).ToString();
        var accepted = request with { DeliveryId = deliveryId };
        var fingerprint = FingerprintOf(request);

        await queue.SendAsync(QueueMessage.Delivery, deliveryId, messageId: deliveryId, accepted, fingerprint);
        var acceptance = tokens.Write(deliveryId, new(now, fingerprint), owner);
        return TypedResults.Accepted(DeliveryRequestsApi.GetStatusUrl(deliveryId, acceptance), accepted);
    }

    /// <summary>Returns the fingerprint of the content without the id.</summary>
    internal static string FingerprintOf(DeliveryRequest request) =>
        Fingerprint.Compute(request with { DeliveryId = null });
}
