using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>Stages of a delivery, of which Completed, Cancelled, and Failed are final.</summary>
public enum DeliveryStage
{
    /// <summary>The drone hasn't taken off.</summary>
    Created,

    Rescheduled,
    HeadedToPickup,
    HeadedToDropoff,
    Completed,
    Cancelled,

    /// <summary>The request is queued, and nothing is recorded yet.</summary>
    Pending,

    /// <summary>The request was rejected or failed, and its effects were compensated.</summary>
    Failed,
}

public sealed record DeliveryFailure
{
    /// <summary>A problem type, for example <c>urn:drone-delivery:no-suitable-drone</c>.</summary>
    [StringLength(200, MinimumLength = 1)]
    public required string Reason { get; init; }

    [StringLength(4_096)]
    public required string Detail { get; init; }
}

/// <summary>Body of <c>PUT /api/deliveries/{id}/failure</c>.</summary>
public sealed record FailedDelivery
{
    [Id]
    public required string OwnerId { get; init; }

    /// <summary>Fingerprint of the failed request; <c>null</c> if the producer sent none.</summary>
    [StringLength(64)]
    public string? Fingerprint { get; init; }

    /// <summary>Number of times an operator has resent the request.</summary>
    [Range(0, int.MaxValue)]
    public int Attempt { get; init; }

    public required DeliveryFailure Failure { get; init; }
}

/// <summary>A stored event of a delivery. Stages that follow from the flight plan and the clock are not stored.</summary>
public sealed record DeliveryEvent
{
    public required DeliveryStage Stage { get; init; }

    public required DateTimeOffset Time { get; init; }
}

/// <summary>Response of <c>GET /api/deliveries/{id}/status</c>.</summary>
public sealed record DeliveryStatus
{
    public required string DeliveryId { get; init; }

    /// <summary>The owner; <c>null</c> from older versions of Delivery.</summary>
    public string? OwnerId { get; init; }

    public required DeliveryStage Stage { get; init; }

    /// <summary>Current position of the drone; <c>null</c> if the request failed.</summary>
    public Location? LastKnownLocation { get; init; }

    /// <summary>Planned or actual pickup time; <c>null</c> if the request failed.</summary>
    public DateTimeOffset? PickupEta { get; init; }

    public DateTimeOffset? DeliveryEta { get; init; }

    /// <summary><c>null</c> unless the stage is <see cref="DeliveryStage.Failed"/>.</summary>
    public DeliveryFailure? Failure { get; init; }

    /// <summary>Fingerprint of the recorded request; <c>null</c> if the producer sent none.</summary>
    public string? Fingerprint { get; init; }

    /// <summary>Value of the header <c>Confirmation-Token</c> that confirms the delivery; <c>null</c> if none is required.</summary>
    public string? ConfirmationToken { get; init; }

    /// <summary>Time at which the request was accepted; <c>null</c> if it failed or the time is unknown.</summary>
    public DateTimeOffset? AcceptedAt { get; init; }

    /// <summary>The latest 100 events, oldest first.</summary>
    public required IReadOnlyList<DeliveryEvent> Events { get; init; }
}
