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
/// delivery is recorded gets the answer 404 and is postponed, as long as the delivery may come. A delivery that comes again after its
/// cancel changes nothing: both stores keep what is cancelled. Reschedules at the same time add up, and of two that change the same the one
/// that was accepted later wins, in whatever order they are handled: DroneScheduler leaves out what is older than what it has, and Delivery
/// keeps the newest of its answers.
/// </remarks>
internal sealed class DeliveryWorkflow(PackageClient packages, DroneSchedulerClient drones, DeliveryClient deliveries)
{
    // A change may be accepted by another replica of Ingestion than its delivery.
    private static readonly TimeSpan ClockSkew = TimeSpan.FromSeconds(5);

    public async Task ScheduleAsync(
        RequestIdentity identity,
        DeliveryRequest request,
        CancellationToken cancellationToken
    )
    {
        try
        {
            var package = await packages.CreateAsync(identity, request, cancellationToken);
            var drone = await drones.AssignAsync(identity, request, cancellationToken);
            await deliveries.RecordAsync(identity, request, package, drone, cancellationToken);
        }
        catch (PermanentFailureException failure) when (failure.Problem?.Type == ProblemTypes.Failed)
        {
            // It was undone while this handler was at work, so nobody else knows what this one has made since.
            await UndoAsync(identity, request, cancellationToken);
            throw;
        }
    }

    /// <summary>
    /// Ends a request without a delivery. Each undo is harmless when its step never ran, and refuses its step from then on, so this may be
    /// repeated and may meet a handler that is still at work.
    /// </summary>
    /// <returns>False: its delivery is recorded. The request has succeeded, and nothing is undone.</returns>
    public async Task<bool> FailAsync(
        RequestIdentity identity,
        DeliveryRequest request,
        DeliveryFailure failure,
        CancellationToken cancellationToken
    )
    {
        // First the last step: once it is refused, the request cannot succeed any more, and the others may be undone.
        // A delivery without a fingerprint does not say whose it is: a request that was refused because of it has not succeeded.
        var other = await deliveries.FailAsync(identity, request.OwnerId, failure, cancellationToken);
        if (other == ProblemTypes.Recorded && failure.Reason != ProblemTypes.OtherRequest)
            return false;
        await UndoAsync(identity, request, cancellationToken);
        return true;
    }

    public async Task RescheduleAsync(
        RescheduleRequest changes,
        DateTimeOffset? acceptedAt,
        CancellationToken cancellationToken
    )
    {
        var deliveryId = changes.DeliveryId!;
        // Before the drone: a delivery that is over must not send it out again.
        var status = await deliveries.GetStatusAsync(deliveryId, cancellationToken);
        RequireNewer(acceptedAt, status);
        if (status.Stage is DeliveryStage.Completed or DeliveryStage.Cancelled or DeliveryStage.Failed)
        {
            throw new PermanentFailureException(
                "DeliveryOver",
                $"Delivery '{deliveryId}' is {status.Stage} and cannot be rescheduled."
            );
        }
        var drone = await drones.RescheduleAsync(deliveryId, changes, acceptedAt, cancellationToken);
        await deliveries.RescheduleAsync(deliveryId, changes, acceptedAt, drone, cancellationToken);
    }

    /// <summary>
    /// Ends a reschedule that has failed. If it has moved the drone and not the delivery, the drone goes back. What another reschedule has
    /// changed stays: the assignment says when the newest change of each was accepted.
    /// </summary>
    public async Task UndoRescheduleAsync(
        RescheduleRequest changes,
        DateTimeOffset? acceptedAt,
        CancellationToken cancellationToken
    )
    {
        try
        {
            var kept = await deliveries.GetAsync(changes.DeliveryId!, cancellationToken);
            var drone = await drones.GetAsync(kept.Id, cancellationToken);
            if ((drone.PickupTime, drone.FlightPlan) == (kept.PickupTime, kept.FlightPlan))
                return;
            bool HasMoved(object? change, DateTimeOffset? newest) =>
                change is not null && (acceptedAt is null || acceptedAt == newest);
            var former = new RescheduleRequest
            {
                PickupLocation = HasMoved(changes.PickupLocation, drone.Accepted?.Pickup) ? kept.Pickup : null,
                DropOffLocation = HasMoved(changes.DropOffLocation, drone.Accepted?.Dropoff) ? kept.Dropoff : null,
                PickupTime = HasMoved(changes.PickupTime, drone.Accepted?.PickupTime) ? kept.PickupTime : null,
            };
            if (former == new RescheduleRequest())
                return; // what moves the drone is still under way to the delivery
            drone = await drones.RescheduleAsync(kept.Id, former, acceptedAt, cancellationToken);
            await deliveries.RescheduleAsync(kept.Id, former, acceptedAt, drone, cancellationToken);
        }
        catch (PermanentFailureException over)
            when (over.Problem?.Status is StatusCodes.Status404NotFound or StatusCodes.Status409Conflict)
        {
            // There is no delivery any more that the drone could fly otherwise.
        }
    }

    /// <summary>The package's record stays: the package exists, whether it is flown or not.</summary>
    public async Task CancelAsync(string deliveryId, DateTimeOffset? acceptedAt, CancellationToken cancellationToken)
    {
        RequireNewer(acceptedAt, await deliveries.GetStatusAsync(deliveryId, cancellationToken));
        // In this order: Delivery refuses when it is over, and a delivery that is recorded has a drone to free.
        await deliveries.CancelAsync(deliveryId, cancellationToken);
        await drones.CancelAsync(deliveryId, cancellationToken);
    }

    /// <summary>Ids are chosen by clients, so a change may name a delivery that is requested only later.</summary>
    private static void RequireNewer(DateTimeOffset? acceptedAt, DeliveryStatus status)
    {
        if (acceptedAt + ClockSkew < status.AcceptedAt)
        {
            throw new PermanentFailureException(
                PermanentFailureException.Obsolete,
                $"It was accepted at {acceptedAt:O}, before delivery '{status.DeliveryId}' was requested."
            );
        }
    }

    private async Task UndoAsync(RequestIdentity identity, DeliveryRequest request, CancellationToken cancellationToken)
    {
        await drones.UndoAsync(identity, cancellationToken);
        await packages.UndoAsync(identity, request.PackageInfo.PackageId, cancellationToken);
    }
}
