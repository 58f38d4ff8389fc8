using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;

namespace DroneDelivery.Workflow;

/// <summary>
/// The saga of a delivery request. Steps are idempotent and keyed by an id from the request, so a redelivered message leads to the same
/// state. Failed steps are retried. If a request can't succeed, <see cref="FailAsync"/> compensates its steps and rejects late ones.
/// </summary>
/// <remarks>
/// Messages may be handled out of order. A cancellation or reschedule that precedes the record of its delivery receives 404 and is
/// postponed. A delivery that is redelivered after its cancellation changes nothing. Concurrent reschedules are merged: for each property,
/// the one that was accepted later wins, because DroneScheduler ignores older changes and Delivery keeps the newest assignment.
/// </remarks>
internal sealed class DeliveryWorkflow(PackageClient packages, DroneSchedulerClient drones, DeliveryClient deliveries)
{
    // A delivery and its change may be accepted by different replicas of Ingestion.
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
            // The request was compensated while this handler was running, which may have had effects since.
            await UndoAsync(identity, request, cancellationToken);
            throw;
        }
    }

    /// <summary>
    /// Fails a request. Compensations reject their step from then on, so this may be repeated and may run concurrently with a handler.
    /// </summary>
    /// <returns><c>false</c> if the request succeeded, because its delivery is recorded.</returns>
    public async Task<bool> FailAsync(
        RequestIdentity identity,
        DeliveryRequest request,
        DeliveryFailure failure,
        CancellationToken cancellationToken
    )
    {
        // The last step first: once it is rejected, the request can't succeed. A request that was rejected because of a delivery without a
        // fingerprint has not succeeded.
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
        // Checked before the drone is rescheduled, because a completed delivery must not send it out again.
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
    /// Compensates a failed reschedule that changed the assignment but not the delivery. Changes of other reschedules remain.
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
                return; // another reschedule changed the assignment, and will change the delivery
            drone = await drones.RescheduleAsync(kept.Id, former, acceptedAt, cancellationToken);
            await deliveries.RescheduleAsync(kept.Id, former, acceptedAt, drone, cancellationToken);
        }
        catch (PermanentFailureException over)
            when (over.Problem?.Status is StatusCodes.Status404NotFound or StatusCodes.Status409Conflict)
        {
            // The delivery doesn't exist or is over.
        }
    }

    /// <summary>Cancels the delivery and its flight. The package remains.</summary>
    public async Task CancelAsync(string deliveryId, DateTimeOffset? acceptedAt, CancellationToken cancellationToken)
    {
        RequireNewer(acceptedAt, await deliveries.GetStatusAsync(deliveryId, cancellationToken));
        // In this order, because Delivery rejects the cancellation of a completed delivery.
        await deliveries.CancelAsync(deliveryId, cancellationToken);
        await drones.CancelAsync(deliveryId, cancellationToken);
    }

    /// <summary>Clients choose ids, so a change may be older than the delivery with its id.</summary>
    private static void RequireNewer(DateTimeOffset? acceptedAt, DeliveryStatus status)
    {
        if (acceptedAt + ClockSkew < status.AcceptedAt)
        {
            throw new PermanentFailureException(
                PermanentFailureException.Obsolete,
                $"The change was accepted at {acceptedAt:O}, before delivery '{status.DeliveryId}' was requested."
            );
        }
    }

    private async Task UndoAsync(RequestIdentity identity, DeliveryRequest request, CancellationToken cancellationToken)
    {
        await drones.UndoAsync(identity, cancellationToken);
        await packages.UndoAsync(identity, request.PackageInfo.PackageId, cancellationToken);
    }
}
