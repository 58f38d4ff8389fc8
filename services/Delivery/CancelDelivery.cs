using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Status;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>DELETE /api/deliveries/{id}</c>: 204, also for a replay; 409 if the delivery is completed. A cancelled delivery remains readable.
/// </summary>
internal static class CancelDelivery
{
    public static async Task<Results<NoContent, NotFound, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        ChangeDelivery change,
        CancellationToken cancellationToken
    ) =>
        await change.RunAsync(id, DeliveryStage.Cancelled, Cancelled, cancellationToken) switch
        {
            ChangeResult.Done => TypedResults.NoContent(),
            ChangeResult.Unknown => TypedResults.NotFound(),
            var rejected => DeliveryProblem.From(id, rejected),
        };

    private static ChangeResult Cancelled(StoredDelivery old, DeliveryEvent now)
    {
        if (old.Closed is { Stage: DeliveryStage.Cancelled })
            return new ChangeResult.Done(old);
        return DeliveryProgress.IsOver(old, now.Time)
            ? new ChangeResult.Over()
            : new ChangeResult.Done(old with { Closed = now });
    }
}
