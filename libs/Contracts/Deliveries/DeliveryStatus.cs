namespace DroneDelivery.Contracts;

public enum DeliveryStage { Created, Rescheduled, HeadedToPickup, HeadedToDropoff, Completed, Cancelled }

/// <summary>Something that happened to a delivery and was stored. What follows from the flight plan and the clock is not.</summary>
public sealed record DeliveryEvent
{
    public required DeliveryStage Stage { get; init; }

    public required DateTimeOffset Time { get; init; }
}

/// <summary>Answer of <c>GET /api/deliveries/{id}/status</c>, true at the moment of the answer.</summary>
public sealed record DeliveryStatus
{
    public required string DeliveryId { get; init; }

    public required DeliveryStage Stage { get; init; }

    /// <summary>Where the drone is now.</summary>
    public required Location LastKnownLocation { get; init; }

    /// <summary>Planned, or past once the package is on board.</summary>
    public required DateTimeOffset PickupEta { get; init; }

    public required DateTimeOffset DeliveryEta { get; init; }

    /// <summary>Oldest first.</summary>
    public required IReadOnlyList<DeliveryEvent> Events { get; init; }
}
