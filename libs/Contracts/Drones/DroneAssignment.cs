using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>The drone that flies a delivery, and when. The same delivery always gets the same answer.</summary>
public sealed record DroneAssignment
{
    public required string DeliveryId { get; init; }

    public required string DroneId { get; init; }

    public required string OwnerId { get; init; }

    /// <summary>When the package is ready, as the client said; the flight plan says when the drone comes.</summary>
    public required DateTimeOffset PickupTime { get; init; }

    public required bool Expedited { get; init; }

    public required PackageSize PackageSize { get; init; }

    /// <summary>Kilograms.</summary>
    public required double PackageWeight { get; init; }

    public required FlightPlan FlightPlan { get; init; }

    /// <summary>0 at first, one more with every change. Of two answers about a delivery the one with the higher number
    /// is the newer.</summary>
    public int Revision { get; init; }

    /// <summary>When the changes that it holds were accepted. Absent: no change, or only by clients that do not say when.</summary>
    public AcceptedChanges? Accepted { get; init; }

    /// <summary>Cancelled: the drone is free, and the assignment is only kept so that a replay cannot bring it back.</summary>
    public required bool Cancelled { get; init; }
}

/// <summary>When the newest change of each was accepted; absent: it is as first asked for.</summary>
public sealed record AcceptedChanges
{
    public DateTimeOffset? Pickup { get; init; }

    public DateTimeOffset? Dropoff { get; init; }

    public DateTimeOffset? PickupTime { get; init; }
}

/// <summary>Three legs, each in a straight line at one speed: depot → pickup → dropoff → depot. A drone flies one plan at a time.</summary>
public sealed record FlightPlan
{
    public required Location Depot { get; init; }

    public required Location Pickup { get; init; }

    public required Location Dropoff { get; init; }

    public required DateTimeOffset TakeOff { get; init; }

    public required DateTimeOffset PickupAt { get; init; }

    public required DateTimeOffset DropoffAt { get; init; }

    /// <summary>Back at a depot, free for the next delivery.</summary>
    public required DateTimeOffset Landing { get; init; }

    /// <summary>All of it, with what was flown before a turn.</summary>
    [Range(0.0, 1_000_000.0)]
    public required double DistanceKm { get; init; }

    /// <summary>Absent: the drone flies as it was planned before it took off.</summary>
    public FlightTurn? Turn { get; init; }
}

/// <summary>Where and when a reschedule turned the drone in the air; from there it flies straight to its next place.</summary>
public sealed record FlightTurn
{
    public required Location Place { get; init; }

    public required DateTimeOffset Time { get; init; }
}

/// <summary>One drone of the fleet; answer of <c>GET /api/drones</c>.</summary>
public sealed record DroneDetails
{
    public required string DroneId { get; init; }

    public required double CapacityKg { get; init; }

    /// <summary>How far it flies on one charge.</summary>
    public required double RangeKm { get; init; }

    public required double SpeedKmh { get; init; }

    /// <summary>Flown when a delivery is expedited.</summary>
    public required double TopSpeedKmh { get; init; }

    /// <summary>Deliveries assigned to it that are neither flown nor cancelled.</summary>
    public required int Assigned { get; init; }
}

/// <summary>Answer of <c>GET /api/dronedeliveries/utilization</c>: flights of one owner that take off in one month (UTC).</summary>
public sealed record DroneUtilization
{
    public required double TraveledMiles { get; init; }

    public required double AssignedHours { get; init; }
}
