namespace DroneDelivery.Contracts;

/// <summary>
/// Body of <c>PATCH /api/deliveryrequests/{id}</c> and, with <see cref="DeliveryId"/> set, of the queue message <see
/// cref="QueueMessage.Reschedule"/>.
/// </summary>
public sealed record RescheduleRequest : IPatch
{
    /// <summary><c>null</c> or the id of the route in an HTTP body; required in the queue.</summary>
    [Id]
    public string? DeliveryId { get; init; }

    public Location? PickupLocation { get; init; }

    public Location? DropOffLocation { get; init; }

    [FlightTime]
    public DateTimeOffset? PickupTime { get; init; }

    [FlightTime]
    public DateTimeOffset? Deadline { get; init; }
}
