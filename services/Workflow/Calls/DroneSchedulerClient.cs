using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

internal sealed class DroneSchedulerClient(HttpClient http)
{
    /// <remarks>Size and weight are those of the request, not of the stored package: a replay must say the same even if
    /// somebody changed it since.</remarks>
    public async Task<DroneAssignment> AssignAsync(RequestIdentity identity, DeliveryRequest request, CancellationToken cancellationToken)
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
        using var response = await http.PutAsJsonAsync(
            $"{PathOf(identity.DeliveryId)}?for={identity.Key}&attempt={identity.Attempt}",
            flight,
            ContractJson.Options,
            cancellationToken);
        return await Answer.ReadAsync<DroneAssignment>(response, cancellationToken);
    }

    /// <summary>Takes back what <see cref="AssignAsync"/> has made for this request or an older attempt of it.</summary>
    /// <param name="identity">The request.</param>
    /// <param name="isOnlyOne">No other request with its delivery id has succeeded: what nobody says to have made is its own.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task UndoAsync(RequestIdentity identity, bool isOnlyOne, CancellationToken cancellationToken)
    {
        var unclaimed = isOnlyOne ? "&unclaimed=true" : "";
        var path = $"{PathOf(identity.DeliveryId)}/requests/{identity.Key}?attempt={identity.Attempt}{unclaimed}";
        using var response = await http.DeleteAsync(new Uri(path, UriKind.Relative), cancellationToken);
        await Answer.RequireSuccessAsync(response, cancellationToken);
    }

    public async Task<DroneAssignment> RescheduleAsync(
        string deliveryId, RescheduleRequest changes, DateTimeOffset? acceptedAt, CancellationToken cancellationToken)
    {
        var flight = new DroneReschedule
        {
            Pickup = changes.PickupLocation,
            Dropoff = changes.DropOffLocation,
            PickupTime = changes.PickupTime,
            AcceptedAt = acceptedAt,
        };
        using var response = await http.PatchAsJsonAsync(PathOf(deliveryId), flight, ContractJson.Options, cancellationToken);
        Answer.RequireRecorded(response, deliveryId);
        return await Answer.ReadAsync<DroneAssignment>(response, cancellationToken);
    }

    public async Task CancelAsync(string deliveryId, CancellationToken cancellationToken)
    {
        using var response = await http.DeleteAsync(PathOf(deliveryId), cancellationToken);
        Answer.RequireRecorded(response, deliveryId);
        await Answer.RequireSuccessAsync(response, cancellationToken);
    }

    private static Uri PathOf(string deliveryId) => new($"api/dronedeliveries/{deliveryId}", UriKind.Relative);
}
