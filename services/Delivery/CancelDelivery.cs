using System.Diagnostics;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Status;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>DELETE /api/deliveries/{id}</c>: 204, again for a replay; 409 for a delivery that is over. A cancelled delivery stays readable, with
/// the stage Cancelled.
/// </summary>
internal static class CancelDelivery
{
    public static async Task<Results<NoContent, NotFound, ProblemHttpResult>> HandleAsync(
        [Id] string id, ChangeDelivery change, CancellationToken cancellationToken) =>
        await change.RunAsync(id, DeliveryStage.Cancelled, Cancelled, cancellationToken) switch
        {
            ChangeResult.Done => TypedResults.NoContent(),
            ChangeResult.Over => DeliveryConflict.Over(id),
            ChangeResult.Failed => DeliveryConflict.Failed(id),
            ChangeResult.Unknown => TypedResults.NotFound(),
            var result => throw new UnreachableException($"No answer says {result}."),
        };

    private static ChangeResult Cancelled(StoredDelivery old, DeliveryEvent now)
    {
        if (old.Closed is { Stage: DeliveryStage.Cancelled })
            return new ChangeResult.Done(old);
        return DeliveryProgress.IsOver(old, now.Time) ? new ChangeResult.Over() : new ChangeResult.Done(old with { Closed = now });
    }
}
