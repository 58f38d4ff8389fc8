using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

public sealed record DroneAssignment
{
    public required string DeliveryId { get; init; }

    public required string DroneId { get; init; }

    public required string OwnerId { get; init; }

    /// <summary>Time from which the package is ready, as requested by the client.</summary>
    public required DateTimeOffset PickupTime { get; init; }

    public required bool Expedited { get; init; }

    public required PackageSize PackageSize { get; init; }

    /// <summary>In kilograms.</summary>
    public required double PackageWeight { get; init; }

    public required FlightPlan FlightPlan { get; init; }

    /// <summary>Number of changes. Of two responses, the one with the higher revision is newer.</summary>
    public int Revision { get; init; }

    /// <summary>Acceptance times of the applied changes; <c>null</c> if unknown or none.</summary>
    public AcceptedChanges? Accepted { get; init; }

    /// <summary>Whether the flight is cancelled. The assignment is kept, so that a replay doesn't assign a drone again.</summary>
    public required bool Cancelled { get; init; }
}

/// <summary>Acceptance times of the latest changes; <c>null</c> for properties that haven't changed.</summary>
public sealed record AcceptedChanges
{
    public DateTimeOffset? Pickup { get; init; }

    public DateTimeOffset? Dropoff { get; init; }

    public DateTimeOffset? PickupTime { get; init; }
}

/// <summary>Three straight legs at constant speed: depot → pickup → dropoff → depot.</summary>
public sealed record FlightPlan
{
    public required Location Depot { get; init; }

    public required Location Pickup { get; init; }

    public required Location Dropoff { get; init; }

    public required DateTimeOffset TakeOff { get; init; }

    public required DateTimeOffset PickupAt { get; init; }

    public required DateTimeOffset DropoffAt { get; init; }

    /// <summary>Arrival at a depot, where the drone becomes available.</summary>
    public required DateTimeOffset Landing { get; init; }

    /// <summary>Total distance, including the part flown before a turn.</summary>
    [Range(0.0, 1_000_000.0)]
    public required double DistanceKm { get; init; }

    /// <summary><c>null</c> if the plan hasn't changed since takeoff.</summary>
    public FlightTurn? Turn { get; init; }
}

/// <summary>The point at which a reschedule changed the drone's course in flight.</summary>
public sealed record FlightTurn
{
    public required Location Place { get; init; }

    public required DateTimeOffset Time { get; init; }
}

/// <summary>A drone of the fleet, in the response of <c>GET /api/drones</c>.</summary>
public sealed record DroneDetails
{
    public required string DroneId { get; init; }

    public required double CapacityKg { get; init; }

    /// <summary>Range on one charge.</summary>
    public required double RangeKm { get; init; }

    public required double SpeedKmh { get; init; }

    /// <summary>Speed for expedited deliveries.</summary>
    public required double TopSpeedKmh { get; init; }

    /// <summary>Number of assigned deliveries that are neither flown nor cancelled.</summary>
    public required int Assigned { get; init; }
}

/// <summary>Response of <c>GET /api/dronedeliveries/utilization</c>: flights of an owner that take off in one month (UTC).</summary>
public sealed record DroneUtilization
{
    public required double TraveledMiles { get; init; }

    public required double AssignedHours { get; init; }
}
