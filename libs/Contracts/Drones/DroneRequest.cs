using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>Body of <c>PUT /api/dronedeliveries/{deliveryId}</c>: what has to be flown from where to where.</summary>
public sealed record DroneRequest
{
    [Id]
    public required string OwnerId { get; init; }

    public required Location Pickup { get; init; }

    public required Location Dropoff { get; init; }

    /// <summary>When the package is ready. In the past: at once.</summary>
    [FlightTime]
    public required DateTimeOffset PickupTime { get; init; }

    /// <summary>An expedited delivery flies at the drone's top speed.</summary>
    public bool Expedited { get; init; }

    public required PackageSize PackageSize { get; init; }

    /// <summary>Kilograms; decides which drones can carry it.</summary>
    [Range(PackageLimits.MinWeight, PackageLimits.MaxWeight)]
    public required double PackageWeight { get; init; }
}

/// <summary>
/// Body of <c>PATCH /api/dronedeliveries/{deliveryId}</c>; what is absent stays. Once the package is on board only the drop-off may change.
/// </summary>
public sealed record DroneReschedule : IPatch
{
    public Location? Pickup { get; init; }

    public Location? Dropoff { get; init; }

    [FlightTime]
    public DateTimeOffset? PickupTime { get; init; }

    /// <summary>
    /// When the client's change was accepted: a member that a change accepted later has set already is left out. Absent: all are taken.
    /// </summary>
    public DateTimeOffset? AcceptedAt { get; init; }
}
