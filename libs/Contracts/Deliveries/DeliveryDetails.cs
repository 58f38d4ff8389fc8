using System.ComponentModel.DataAnnotations;
using System.Diagnostics.CodeAnalysis;

namespace DroneDelivery.Contracts;

/// <summary>How the receiver proves that the package arrived.</summary>
public enum ConfirmationType
{
    None,
    FingerPrint,
    Picture,
    Voice,
}

/// <summary>What a delivery is, as it is recorded and as it is read.</summary>
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
    /// <summary>Of the delivery request: <see cref="DeliveryStatus.Fingerprint"/>. Absent: the producer did not say.</summary>
    [StringLength(64)]
    public string? Fingerprint { get; init; }

    /// <summary>How often the request had been sent again before: 0 for the first time.</summary>
    [Range(0, int.MaxValue)]
    public int Attempt { get; init; }

    /// <summary>When the delivery request was accepted. Absent: the producer did not say.</summary>
    public DateTimeOffset? AcceptedAt { get; init; }
}

/// <summary>Body of <c>PATCH /api/deliveries/{id}</c>; what is absent stays.</summary>
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
    /// <see cref="DroneAssignment.Revision"/> of the assignment that route, time, drone and plan come from. Those of an older one than is
    /// stored are left out. Absent: they are taken.
    /// </summary>
    public int? Revision { get; init; }

    /// <summary>
    /// When the client's change was accepted: a deadline that was accepted earlier than the stored one is left out. Absent: it is taken.
    /// </summary>
    public DateTimeOffset? AcceptedAt { get; init; }
}

/// <summary>A delivery as it is stored.</summary>
public sealed record DeliveryDetails : DeliveryContent
{
    public DeliveryDetails() { }

    [SetsRequiredMembers]
    public DeliveryDetails(string id, DeliveryContent content)
        : base(content) => Id = id;

    public required string Id { get; init; }
}

/// <summary>Answer of <c>GET /api/deliveries/{id}/owner</c>.</summary>
public sealed record DeliveryOwner
{
    public required string OwnerId { get; init; }
}

/// <summary>Answer of <c>GET /api/deliveries/summary</c>: deliveries of one owner with a pickup time in one month (UTC),
/// without cancelled ones.</summary>
public sealed record DeliverySummary
{
    public required int Count { get; init; }
}
