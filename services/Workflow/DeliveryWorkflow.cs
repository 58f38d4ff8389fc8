using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow;

/// <summary>
/// The distributed transaction. Every step is idempotent and keyed by an id from the request, so a message that comes again, after a
/// crash or a lost lock, ends in the same state with the same drone. There is no compensation: what fails is tried again, forward.
/// </summary>
/// <remarks>
/// The queue does not keep the order of messages that are handled at the same time, so a cancel or a reschedule may arrive before its
/// delivery is recorded. It is then put back (<see cref="NotRecordedYetException"/>) and tries again as long as the delivery may. A delivery that
/// arrives after its drone was cancelled is recorded as cancelled, so every order ends alike.
/// </remarks>
internal sealed class DeliveryWorkflow(PackageClient packages, DroneSchedulerClient drones, DeliveryClient deliveries)
{
    public async Task ScheduleAsync(string deliveryId, DeliveryRequest request, CancellationToken cancellationToken)
    {
        // The CPU gate of a virtual node is held here, for the message's own work and before its calls.
        var package = await packages.UpsertAsync(request, cancellationToken);
        var drone = await drones.AssignAsync(deliveryId, request, package, cancellationToken);
        await deliveries.RecordAsync(deliveryId, request, package, drone, cancellationToken);

        if (drone.Cancelled)
            await deliveries.CancelAsync(deliveryId, cancellationToken);
    }

    public async Task RescheduleAsync(string deliveryId, RescheduleRequest changes, CancellationToken cancellationToken)
    {
        var drone = await drones.RescheduleAsync(deliveryId, changes, cancellationToken);
        await deliveries.RescheduleAsync(deliveryId, changes, drone, cancellationToken);
    }

    /// <summary>Frees the drone and marks the delivery. The package's record stays: the package exists, wherever it is flown.</summary>
    public async Task CancelAsync(string deliveryId, CancellationToken cancellationToken)
    {
        await drones.CancelAsync(deliveryId, cancellationToken);
        await deliveries.CancelAsync(deliveryId, cancellationToken);
    }
}
