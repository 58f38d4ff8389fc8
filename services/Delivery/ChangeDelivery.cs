using DroneDelivery.Contracts;

namespace DroneDelivery.Delivery;

/// <summary>Changes what is stored of a delivery, while others may change it too.</summary>
internal sealed class ChangeDelivery(DeliveryStore store, TimeProvider time)
{
    /// <param name="stage">Of the event that is stored with the change.</param>
    /// <param name="change">
    /// From what is stored, and the event, to the result. <see cref="ChangeResult.Done"/> is stored where it differs; others store nothing.
    /// </param>
    /// <param name="confirmation">Stored with the change.</param>
    public async Task<ChangeResult> RunAsync(
        string id,
        DeliveryStage stage,
        Func<StoredDelivery, DeliveryEvent, ChangeResult> change,
        CancellationToken cancellationToken,
        DeliveryConfirmation? confirmation = null
    )
    {
        // A change that loses the race against another starts again from what that one stored.
        while (await store.FindAsync(id, cancellationToken) is { } found)
        {
            if (found.Stored is not StoredDelivery stored)
                return new ChangeResult.Failed();
            var what = new DeliveryEvent { Stage = stage, Time = time.GetUtcNow() };
            var result = change(stored, what);
            if (
                result is not ChangeResult.Done(var changed)
                || changed == stored
                || await store.ReplaceAsync(id, found, changed, what, confirmation, cancellationToken) is null
            )
            {
                return result;
            }
        }
        return new ChangeResult.Unknown();
    }
}
