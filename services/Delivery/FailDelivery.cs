using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>PUT /api/deliveries/{id}/failure</c>: 204, also for a replay. 409 if the delivery is recorded, or the id belongs to another request.
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
            // Keeps the first failure of an attempt.
            if (existing?.Attempt >= request.Attempt)
                return TypedResults.NoContent();
            var failed = new DeliveryEvent { Stage = DeliveryStage.Failed, Time = time.GetUtcNow() };
            if (await store.ReplaceAsync(id, found, failure, failed, confirmation: null, cancellationToken) is null)
                return TypedResults.NoContent();
        }
    }
}
