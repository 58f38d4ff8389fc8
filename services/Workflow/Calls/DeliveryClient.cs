using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

internal sealed class DeliveryClient(HttpClient http)
{
    private const string Recorded = "urn:drone-delivery:recorded";

    public async Task RecordAsync(
        RequestIdentity identity,
        DeliveryRequest request,
        PackageDetails package,
        DroneAssignment drone,
        CancellationToken cancellationToken)
    {
        var delivery = new DeliveryUpsert
        {
            OwnerId = request.OwnerId,
            Pickup = request.PickupLocation,
            Dropoff = request.DropOffLocation,
            PickupTime = request.PickupTime,
            Deadline = request.Deadline,
            Expedited = request.Expedited,
            ConfirmationRequired = request.ConfirmationRequired,
            Instructions = request.Instructions,
            PackageId = package.Id,
            DroneId = drone.DroneId,
            FlightPlan = drone.FlightPlan,
            Fingerprint = identity.Fingerprint,
            Attempt = identity.Attempt,
        };
        using var response = await http.PutAsJsonAsync(PathOf(identity.DeliveryId), delivery, ContractJson.Options, cancellationToken);
        await Answer.RequireSuccessAsync(response, cancellationToken);
    }

    public async Task<FailResult> FailAsync(
        RequestIdentity identity, string ownerId, DeliveryFailure failure, CancellationToken cancellationToken)
    {
        var failed = new FailedDelivery
        {
            OwnerId = ownerId,
            Fingerprint = identity.Fingerprint,
            Attempt = identity.Attempt,
            Failure = failure,
        };
        using var response = await http.PutAsJsonAsync(
            $"{PathOf(identity.DeliveryId)}/failure", failed, ContractJson.Options, cancellationToken);
        switch (await Refusal.OfAsync(response, cancellationToken))
        {
            case { Type: Recorded }:
                return FailResult.Recorded;
            case { Type: Refusal.OtherRequest }:
                return FailResult.OtherRequest;
            default:
                await Answer.RequireSuccessAsync(response, cancellationToken);
                return FailResult.Failed;
        }
    }

    /// <exception cref="PermanentFailureException">It is completed, cancelled or failed.</exception>
    /// <exception cref="NotRecordedYetException">It is not recorded.</exception>
    public async Task RequireUnderWayAsync(string deliveryId, CancellationToken cancellationToken)
    {
        using var response = await http.GetAsync(new Uri($"api/deliveries/{deliveryId}/status", UriKind.Relative), cancellationToken);
        Answer.RequireRecorded(response, deliveryId);
        var status = await Answer.ReadAsync<DeliveryStatus>(response, cancellationToken);
        if (status.Stage is DeliveryStage.Completed or DeliveryStage.Cancelled or DeliveryStage.Failed)
            throw new PermanentFailureException("DeliveryOver", $"Delivery '{deliveryId}' is {status.Stage} and cannot be rescheduled.");
    }

    /// <summary>
    /// Sends all of the assignment, not the changes: it has the changes of other reschedules too, and its revision tells Delivery which
    /// of two is the newer.
    /// </summary>
    public async Task RescheduleAsync(
        string deliveryId,
        RescheduleRequest changes,
        DateTimeOffset? acceptedAt,
        DroneAssignment drone,
        CancellationToken cancellationToken)
    {
        var delivery = new DeliveryReschedule
        {
            Pickup = drone.FlightPlan.Pickup,
            Dropoff = drone.FlightPlan.Dropoff,
            PickupTime = drone.PickupTime,
            Deadline = changes.Deadline,
            DroneId = drone.DroneId,
            FlightPlan = drone.FlightPlan,
            Revision = drone.Revision,
            AcceptedAt = acceptedAt,
        };
        using var response = await http.PatchAsJsonAsync(PathOf(deliveryId), delivery, ContractJson.Options, cancellationToken);
        Answer.RequireRecorded(response, deliveryId);
        await Answer.RequireSuccessAsync(response, cancellationToken);
    }

    public async Task CancelAsync(string deliveryId, CancellationToken cancellationToken)
    {
        using var response = await http.DeleteAsync(PathOf(deliveryId), cancellationToken);
        Answer.RequireRecorded(response, deliveryId);
        await Answer.RequireSuccessAsync(response, cancellationToken);
    }

    private static Uri PathOf(string deliveryId) => new($"api/deliveries/{deliveryId}", UriKind.Relative);
}

/// <summary>What Delivery knows of a request that should have failed.</summary>
internal enum FailResult
{
    /// <summary>It has failed, and cannot be recorded any more.</summary>
    Failed,

    /// <summary>Its id belongs to another request, so it cannot be recorded either.</summary>
    OtherRequest,

    /// <summary>Its delivery is recorded.</summary>
    Recorded,
}
