using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;

namespace DroneDelivery.Workflow;

/// <summary>
/// The distributed transaction. Every step is idempotent and keyed by an id from the request, so a message that comes again, after a
/// crash or a lost lock, ends in the same state with the same drone. There is no compensation: what fails is tried again, forward.
/// </summary>
/// <remarks>
/// The queue does not keep the order of messages that are handled at the same time. A cancel or a reschedule that arrives before its
/// delivery is recorded is put off (<see cref="NotRecordedYetException"/>) and comes again, as long as the delivery may. A
/// delivery that comes again after its cancel changes nothing: both stores keep what is cancelled. Reschedules at the same time add up,
/// and of two that change the same the one that was accepted later wins, in whatever order they are handled: DroneScheduler leaves out what
/// is older than what it has, and Delivery keeps the newest of its answers.
/// </remarks>
internal sealed class DeliveryWorkflow(PackageClient packages, DroneSchedulerClient drones, DeliveryClient deliveries)
{
    public async Task ScheduleAsync(string deliveryId, DeliveryRequest request, CancellationToken cancellationToken)
    {
        var package = await packages.CreateAsync(request, cancellationToken);
        var drone = await drones.AssignAsync(deliveryId, request, cancellationToken);
        await deliveries.RecordAsync(deliveryId, request, package, drone, cancellationToken);
    }

    public async Task RescheduleAsync(
        string deliveryId, RescheduleRequest changes, DateTimeOffset? acceptedAt, CancellationToken cancellationToken)
    {
        // Before the drone: a delivery that is over must not send it out again.
        await deliveries.RequireUnderWayAsync(deliveryId, cancellationToken);
        var drone = await drones.RescheduleAsync(deliveryId, changes, acceptedAt, cancellationToken);
        await deliveries.RescheduleAsync(deliveryId, changes, acceptedAt, drone, cancellationToken);
    }

    /// <summary>The package's record stays: the package exists, whether it is flown or not.</summary>
    public async Task CancelAsync(string deliveryId, CancellationToken cancellationToken)
    {
        // In this order: Delivery refuses when it is over, and a delivery that is recorded has a drone to free.
        await deliveries.CancelAsync(deliveryId, cancellationToken);
        await drones.CancelAsync(deliveryId, cancellationToken);
    }
}
