using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>Body of <c>PUT /api/dronedeliveries/{deliveryId}</c>.</summary>
public sealed record DroneRequest
{
    [Id]
    public required string OwnerId { get; init; }

    public required Location Pickup { get; init; }

    public required Location Dropoff { get; init; }

    /// <summary>Time from which the package is ready; a past time means now.</summary>
    [FlightTime]
    public required DateTimeOffset PickupTime { get; init; }

    /// <summary>Whether the drone flies at its top speed.</summary>
    public bool Expedited { get; init; }

    public required PackageSize PackageSize { get; init; }

    /// <summary>In kilograms.</summary>
    [Range(PackageLimits.MinWeight, PackageLimits.MaxWeight)]
    public required double PackageWeight { get; init; }
}

/// <summary>Body of <c>PATCH /api/dronedeliveries/{deliveryId}</c>. Once the package is on board, only the dropoff may change.</summary>
public sealed record DroneReschedule : IPatch
{
    public Location? Pickup { get; init; }

    public Location? Dropoff { get; init; }

    [FlightTime]
    public DateTimeOffset? PickupTime { get; init; }

    /// <summary>Acceptance time of the change. Properties set by a change accepted later are ignored; <c>null</c> to apply all.</summary>
    public DateTimeOffset? AcceptedAt { get; init; }
}
