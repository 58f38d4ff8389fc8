namespace DroneDelivery.Contracts;

/// <summary>
/// New places or times for a delivery; what is absent stays. Body of <c>PATCH /api/deliveryrequests/{id}</c>, and, with
/// <see cref="DeliveryId"/> set, body of the queue message <see cref="QueueMessage.Reschedule"/>.
/// </summary>
public sealed record RescheduleRequest : IPatch
{
    /// <summary>In the HTTP body absent or the id of the route; always set in the queue.</summary>
    [Id]
    public string? DeliveryId { get; init; }

    public Location? PickupLocation { get; init; }

    public Location? DropOffLocation { get; init; }

    [FlightTime]
    public DateTimeOffset? PickupTime { get; init; }

    [FlightTime]
    public DateTimeOffset? Deadline { get; init; }
}
