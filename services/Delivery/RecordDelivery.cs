using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Idempotency;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>PUT /api/deliveries/{id}</c>: 201 for a new delivery, 200 with the stored one for a replay. 409 for the same id with different
/// content, and for a failed request unless an operator has resent it since.
/// </summary>
internal static class RecordDelivery
{
    public static async Task<Results<Created<DeliveryDetails>, Ok<DeliveryDetails>, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        DeliveryUpsert request,
        DeliveryStore store,
        TimeProvider time,
        CancellationToken cancellationToken
    )
    {
        var added = new StoredDelivery
        {
            Delivery = new(id, request),
            Request = Fingerprint.Compute(ContentOf(request)),
            Fingerprint = request.Fingerprint,
            Attempt = request.Attempt,
            AcceptedAt = request.AcceptedAt,
        };
        var created = new DeliveryEvent { Stage = DeliveryStage.Created, Time = time.GetUtcNow() };
        // Starts over if another request replaces a failure meanwhile.
        while (await store.ReplaceAsync(id, null, added, created, confirmation: null, cancellationToken) is { } json)
        {
            var found = DeliveryStore.Read(json);
            var existing = found.Stored;
            if (existing.IsOtherThan(request.Fingerprint))
                return DeliveryProblem.OtherRequest(id);
            if (existing is StoredDelivery delivery)
            {
                return added.Request == delivery.Request
                    ? TypedResults.Ok(delivery.Delivery)
                    : DeliveryProblem.OtherRequest(id);
            }
            if (request.Attempt <= existing.Attempt)
                return DeliveryProblem.Failed(id);
            if (await store.ReplaceAsync(id, found, added, created, confirmation: null, cancellationToken) is null)
                break;
        }
        return TypedResults.Created($"{DeliveriesApi.Prefix}/{id}", added.Delivery);
    }

    /// <summary>Returns the client's content. Drone and flight plan may differ in a replay after a reschedule.</summary>
    private static object ContentOf(DeliveryUpsert request) =>
        new
        {
            request.OwnerId,
            request.Pickup,
            request.Dropoff,
            request.PickupTime,
            request.Deadline,
            request.Expedited,
            request.ConfirmationRequired,
            request.PackageId,
            request.Instructions,
        };
}
