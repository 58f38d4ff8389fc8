using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;

namespace DroneDelivery.Workflow;

/// <summary>
/// The distributed transaction. Every step is idempotent and keyed by an id from the request, so a message that comes again, after a
/// crash or a lost lock, ends in the same state with the same drone. What fails is tried again, forward. A request that cannot succeed is
/// undone: <see cref="FailAsync"/> takes back what its steps have made and keeps those that come late from making it again.
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
    public async Task ScheduleAsync(RequestIdentity identity, DeliveryRequest request, CancellationToken cancellationToken)
    {
        try
        {
            var package = await packages.CreateAsync(identity, request, cancellationToken);
            var drone = await drones.AssignAsync(identity, request, cancellationToken);
            await deliveries.RecordAsync(identity, request, package, drone, cancellationToken);
        }
        catch (PermanentFailureException failure) when (failure.ProblemType == Refusal.Failed)
        {
            // It was undone while this handler was at work, so nobody else knows what this one has made since.
            await UndoAsync(identity, request, isOnlyOne: false, cancellationToken);
            throw;
        }
    }

    /// <summary>
    /// Ends a request without a delivery. Each undo is harmless when its step never ran, and refuses its step from then on, so this may be
    /// repeated and may meet a handler that is still at work.
    /// </summary>
    /// <returns>False: its delivery is recorded. The request has succeeded, and nothing is undone.</returns>
    public async Task<bool> FailAsync(
        RequestIdentity identity, DeliveryRequest request, DeliveryFailure failure, CancellationToken cancellationToken)
    {
        // First the last step: once it is refused, the request cannot succeed any more, and the others may be undone.
        // A delivery of an older version does not say whose it is: a request that was refused because of it has not succeeded.
        var result = await deliveries.FailAsync(identity, request.OwnerId, failure, cancellationToken);
        if (result == FailResult.Recorded && failure.Reason != Refusal.OtherRequest)
            return false;
        await UndoAsync(identity, request, isOnlyOne: result == FailResult.Failed, cancellationToken);
        return true;
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

    private async Task UndoAsync(
        RequestIdentity identity, DeliveryRequest request, bool isOnlyOne, CancellationToken cancellationToken)
    {
        await drones.UndoAsync(identity, isOnlyOne, cancellationToken);
        await packages.UndoAsync(identity, request.PackageInfo.PackageId, cancellationToken);
    }
}
