using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

internal sealed class DeliveryClient(HttpClient http)
{
    private const string Prefix = "api/deliveries";

    public Task RecordAsync(
        RequestIdentity identity,
        DeliveryRequest request,
        PackageDetails package,
        DroneAssignment drone,
        CancellationToken cancellationToken
    )
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
            AcceptedAt = identity.AcceptedAt,
        };
        return http.RequireSuccessAsync(HttpMethod.Put, $"{Prefix}/{identity.DeliveryId}", delivery, cancellationToken);
    }

    /// <summary>Records that the request failed, so that it can't be recorded as a delivery.</summary>
    /// <returns>
    /// <c>null</c> on success; otherwise, <see cref="ProblemTypes.Recorded"/> or <see cref="ProblemTypes.OtherRequest"/>.
    /// </returns>
    public async Task<string?> FailAsync(
        RequestIdentity identity,
        string ownerId,
        DeliveryFailure failure,
        CancellationToken cancellationToken
    )
    {
        var failed = new FailedDelivery
        {
            OwnerId = ownerId,
            Fingerprint = identity.Fingerprint,
            Attempt = identity.Attempt,
            Failure = failure,
        };
        try
        {
            await http.RequireSuccessAsync(
                HttpMethod.Put,
                $"{Prefix}/{identity.DeliveryId}/failure",
                failed,
                cancellationToken
            );
            return null;
        }
        catch (PermanentFailureException rejection)
            when (rejection.Problem?.Type is ProblemTypes.Recorded or ProblemTypes.OtherRequest)
        {
            return rejection.Problem.Type;
        }
    }

    public Task<DeliveryDetails> GetAsync(string deliveryId, CancellationToken cancellationToken) =>
        http.ReadAsync<DeliveryDetails>(HttpMethod.Get, $"{Prefix}/{deliveryId}", body: null, cancellationToken);

    public Task<DeliveryStatus> GetStatusAsync(string deliveryId, CancellationToken cancellationToken) =>
        http.ReadAsync<DeliveryStatus>(HttpMethod.Get, $"{Prefix}/{deliveryId}/status", body: null, cancellationToken);

    /// <summary>
    /// Sends the whole assignment, which includes other reschedules, and its revision, so that Delivery can ignore older ones.
    /// </summary>
    public Task RescheduleAsync(
        string deliveryId,
        RescheduleRequest changes,
        DateTimeOffset? acceptedAt,
        DroneAssignment drone,
        CancellationToken cancellationToken
    )
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
        return http.RequireSuccessAsync(HttpMethod.Patch, $"{Prefix}/{deliveryId}", delivery, cancellationToken);
    }

    public Task CancelAsync(string deliveryId, CancellationToken cancellationToken) =>
        http.RequireSuccessAsync(HttpMethod.Delete, $"{Prefix}/{deliveryId}", body: null, cancellationToken);
}
