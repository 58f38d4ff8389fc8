using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>How far a delivery is. It ends Completed, Cancelled or Failed.</summary>
public enum DeliveryStage
{
    /// <summary>The drone has not left yet.</summary>
    Created,

    Rescheduled,
    HeadedToPickup,
    HeadedToDropoff,
    Completed,
    Cancelled,

    /// <summary>The request is in the queue; nothing is recorded yet.</summary>
    Pending,

    /// <summary>The request was refused, or could not be carried out. What it had made is undone.</summary>
    Failed,
}

/// <summary>Why a request has failed.</summary>
public sealed record DeliveryFailure
{
    /// <summary>For programs: a URN, for example <c>urn:drone-delivery:no-suitable-drone</c>.</summary>
    [StringLength(200, MinimumLength = 1)]
    public required string Reason { get; init; }

    /// <summary>For people: a sentence.</summary>
    [StringLength(4_096)]
    public required string Detail { get; init; }
}

/// <summary>Body of <c>PUT /api/deliveries/{id}/failure</c>: the request with this id has ended without a delivery.</summary>
public sealed record FailedDelivery
{
    [Id]
    public required string OwnerId { get; init; }

    /// <summary>Of the request that has failed. Absent: the producer did not say.</summary>
    [StringLength(64)]
    public string? Fingerprint { get; init; }

    /// <summary>How often the request had been sent again before: 0 for the first time.</summary>
    [Range(0, int.MaxValue)]
    public int Attempt { get; init; }

    public required DeliveryFailure Failure { get; init; }
}

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

    /// <summary>Whose delivery it is. Absent: an older Delivery, which does not say.</summary>
    public string? OwnerId { get; init; }

    public required DeliveryStage Stage { get; init; }

    /// <summary>Where the drone is now. Absent: there is none, for the request has failed.</summary>
    public Location? LastKnownLocation { get; init; }

    /// <summary>Planned, or past once the package is on board. Absent: the request has failed.</summary>
    public DateTimeOffset? PickupEta { get; init; }

    public DateTimeOffset? DeliveryEta { get; init; }

    /// <summary>Set if, and only if, the stage is Failed.</summary>
    public DeliveryFailure? Failure { get; init; }

    /// <summary>Of the request that is recorded under this id. Absent: its producer did not say.</summary>
    public string? Fingerprint { get; init; }

    /// <summary>The token that the receiver's device sends with the confirmation, in the header <c>Confirmation-Token</c>. Absent: it needs
    /// none.</summary>
    public string? ConfirmationToken { get; init; }

    /// <summary>When that request was accepted. Absent: it has failed, or its producer did not say.</summary>
    public DateTimeOffset? AcceptedAt { get; init; }

    /// <summary>The newest hundred, oldest first.</summary>
    public required IReadOnlyList<DeliveryEvent> Events { get; init; }
}
