using System.ComponentModel.DataAnnotations;
using System.Diagnostics.CodeAnalysis;

namespace DroneDelivery.Contracts;

public enum ConfirmationType
{
    None,
    FingerPrint,
    Picture,
    Voice,
}

/// <summary>Properties common to recorded and returned deliveries.</summary>
public abstract record DeliveryContent
{
    [Id]
    public required string OwnerId { get; init; }

    public required Location Pickup { get; init; }

    public required Location Dropoff { get; init; }

    [FlightTime]
    public required DateTimeOffset PickupTime { get; init; }

    [FlightTime]
    public DateTimeOffset? Deadline { get; init; }

    public bool Expedited { get; init; }

    public ConfirmationType ConfirmationRequired { get; init; }

    [StringLength(DeliveryRequest.MaxInstructionsLength), PlainText]
    public string? Instructions { get; init; }

    [Id]
    public required string PackageId { get; init; }

    [Id]
    public required string DroneId { get; init; }

    public required FlightPlan FlightPlan { get; init; }
}

/// <summary>Body of <c>PUT /api/deliveries/{id}</c>.</summary>
public sealed record DeliveryUpsert : DeliveryContent
{
    /// <summary>Fingerprint of the delivery request; <c>null</c> if the producer sent none.</summary>
    [StringLength(64)]
    public string? Fingerprint { get; init; }

    /// <summary>Number of times an operator has resent the request.</summary>
    [Range(0, int.MaxValue)]
    public int Attempt { get; init; }

    /// <summary>Time at which Ingestion accepted the delivery request; <c>null</c> if unknown.</summary>
    public DateTimeOffset? AcceptedAt { get; init; }
}

/// <summary>Body of <c>PATCH /api/deliveries/{id}</c>.</summary>
public sealed record DeliveryReschedule : IPatch
{
    public Location? Pickup { get; init; }

    public Location? Dropoff { get; init; }

    [FlightTime]
    public DateTimeOffset? PickupTime { get; init; }

    [FlightTime]
    public DateTimeOffset? Deadline { get; init; }

    [Id]
    public string? DroneId { get; init; }

    public FlightPlan? FlightPlan { get; init; }

    /// <summary>
    /// <see cref="DroneAssignment.Revision"/> of the route, time, drone, and plan. They are ignored if a newer revision is stored;
    /// <c>null</c> to apply them always.
    /// </summary>
    public int? Revision { get; init; }

    /// <summary>
    /// Acceptance time of the change. The deadline is ignored if the stored one is newer; <c>null</c> to apply it always.
    /// </summary>
    public DateTimeOffset? AcceptedAt { get; init; }
}

public sealed record DeliveryDetails : DeliveryContent
{
    public DeliveryDetails() { }

    [SetsRequiredMembers]
    public DeliveryDetails(string id, DeliveryContent content)
        : base(content) => Id = id;

    public required string Id { get; init; }
}

/// <summary>Response of <c>GET /api/deliveries/{id}/owner</c>.</summary>
public sealed record DeliveryOwner
{
    public required string OwnerId { get; init; }
}

/// <summary>
/// Response of <c>GET /api/deliveries/summary</c>: deliveries of an owner with a pickup time in one month (UTC), without cancelled ones.
/// </summary>
public sealed record DeliverySummary
{
    public required int Count { get; init; }
}
