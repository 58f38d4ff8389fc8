using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

internal sealed class DroneSchedulerClient(HttpClient http)
{
    private const string Prefix = "api/dronedeliveries";

    /// <remarks>Uses the size and weight of the request, not of the stored package, so that a replay is identical.</remarks>
    public Task<DroneAssignment> AssignAsync(
        RequestIdentity identity,
        DeliveryRequest request,
        CancellationToken cancellationToken
    )
    {
        var flight = new DroneRequest
        {
            OwnerId = request.OwnerId,
            Pickup = request.PickupLocation,
            Dropoff = request.DropOffLocation,
            PickupTime = request.PickupTime,
            Expedited = request.Expedited,
            PackageSize = request.PackageInfo.Size,
            PackageWeight = request.PackageInfo.Weight,
        };
        var path = $"{Prefix}/{identity.DeliveryId}?for={identity.Key}&attempt={identity.Attempt}";
        return http.ReadAsync<DroneAssignment>(HttpMethod.Put, path, flight, cancellationToken);
    }

    /// <summary>Compensates <see cref="AssignAsync"/> for this request and its earlier attempts.</summary>
    public Task UndoAsync(RequestIdentity identity, CancellationToken cancellationToken) =>
        http.RequireSuccessAsync(
            HttpMethod.Delete,
            $"{Prefix}/{identity.DeliveryId}/requests/{identity.Key}?attempt={identity.Attempt}",
            body: null,
            cancellationToken
        );

    public Task<DroneAssignment> GetAsync(string deliveryId, CancellationToken cancellationToken) =>
        http.ReadAsync<DroneAssignment>(HttpMethod.Get, $"{Prefix}/{deliveryId}", body: null, cancellationToken);

    public Task<DroneAssignment> RescheduleAsync(
        string deliveryId,
        RescheduleRequest changes,
        DateTimeOffset? acceptedAt,
        CancellationToken cancellationToken
    )
    {
        var flight = new DroneReschedule
        {
            Pickup = changes.PickupLocation,
            Dropoff = changes.DropOffLocation,
            PickupTime = changes.PickupTime,
            AcceptedAt = acceptedAt,
        };
        return http.ReadAsync<DroneAssignment>(HttpMethod.Patch, $"{Prefix}/{deliveryId}", flight, cancellationToken);
    }

    public Task CancelAsync(string deliveryId, CancellationToken cancellationToken) =>
        http.RequireSuccessAsync(HttpMethod.Delete, $"{Prefix}/{deliveryId}", body: null, cancellationToken);
}
