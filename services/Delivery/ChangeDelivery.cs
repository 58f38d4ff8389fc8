using DroneDelivery.Contracts;

namespace DroneDelivery.Delivery;

internal sealed class ChangeDelivery(DeliveryStore store, TimeProvider time)
{
    /// <param name="stage">The stage of the stored event.</param>
    /// <param name="change">Returns the result, of which only <see cref="ChangeResult.Done"/> is stored.</param>
    /// <param name="confirmation">The confirmation to store; <c>null</c> for none.</param>
    public async Task<ChangeResult> RunAsync(
        string id,
        DeliveryStage stage,
        Func<StoredDelivery, DeliveryEvent, ChangeResult> change,
        CancellationToken cancellationToken,
        DeliveryConfirmation? confirmation = null
    )
    {
        // Starts over if another change is stored first.
        while (await store.FindAsync(id, cancellationToken) is { } found)
        {
            if (found.Stored is not StoredDelivery stored)
                return new ChangeResult.Failed();
            var newEvent = new DeliveryEvent { Stage = stage, Time = time.GetUtcNow() };
            var result = change(stored, newEvent);
            if (
                result is not ChangeResult.Done(var changed)
                || changed == stored
                || await store.ReplaceAsync(id, found, changed, newEvent, confirmation, cancellationToken) is null
            )
            {
                return result;
            }
        }
        return new ChangeResult.Unknown();
    }
}
