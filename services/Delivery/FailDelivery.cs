using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>PUT /api/deliveries/{id}/failure</c>: 204, again for a replay. The request has failed, and is refused if it comes late. 409 and no
/// change: its delivery is recorded, or the id belongs to another request.
/// </summary>
internal static class FailDelivery
{
    public static async Task<Results<NoContent, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        FailedDelivery request,
        DeliveryStore store,
        TimeProvider time,
        CancellationToken cancellationToken
    )
    {
        var failure = new StoredFailure
        {
            Failure = request.Failure,
            OwnerId = request.OwnerId,
            Fingerprint = request.Fingerprint,
            Attempt = request.Attempt,
        };
        while (true)
        {
            var found = await store.FindAsync(id, cancellationToken);
            var existing = found?.Stored;
            if (existing?.IsOtherThan(request.Fingerprint) is true)
                return DeliveryProblem.OtherRequest(id);
            if (existing is StoredDelivery)
                return DeliveryProblem.Recorded(id);
            // The first reason that an attempt failed for stays.
            if (existing?.Attempt >= request.Attempt)
                return TypedResults.NoContent();
            var failed = new DeliveryEvent { Stage = DeliveryStage.Failed, Time = time.GetUtcNow() };
            if (await store.ReplaceAsync(id, found, failure, failed, confirmation: null, cancellationToken) is null)
                return TypedResults.NoContent();
        }
    }
}
