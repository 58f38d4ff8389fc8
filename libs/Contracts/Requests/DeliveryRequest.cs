using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>
/// Body of <c>POST /api/deliveryrequests</c> and, with <see cref="DeliveryId"/> set, of the queue message <see
/// cref="QueueMessage.Delivery"/>.
/// </summary>
public sealed record DeliveryRequest
{
    /// <summary>In characters.</summary>
    public const int MaxInstructionsLength = 20_000;

    /// <summary>Makes the request idempotent. If a client omits the id, Ingestion generates one.</summary>
    [Id]
    public string? DeliveryId { get; init; }

    [Id]
    public required string OwnerId { get; init; }

    public required Location PickupLocation { get; init; }

    public required Location DropOffLocation { get; init; }

    [FlightTime]
    public required DateTimeOffset PickupTime { get; init; }

    [FlightTime]
    public DateTimeOffset? Deadline { get; init; }

    public bool Expedited { get; init; }

    public ConfirmationType ConfirmationRequired { get; init; }

    /// <summary>Free text for people, such as where to land and whom to call.</summary>
    [StringLength(MaxInstructionsLength), PlainText]
    public string? Instructions { get; init; }

    public required PackageInfo PackageInfo { get; init; }
}

public sealed record PackageInfo
{
    [Id]
    public required string PackageId { get; init; }

    public required PackageSize Size { get; init; }

    /// <summary>In kilograms.</summary>
    [Range(PackageLimits.MinWeight, PackageLimits.MaxWeight)]
    public required double Weight { get; init; }

    [StringLength(PackageLimits.MaxTagLength), PlainText]
    public string? Tag { get; init; }
}
