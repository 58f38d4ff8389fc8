using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>A point on or above the ground: degrees (WGS 84), altitude in meters.</summary>
/// <remarks>The bounds are doubles: a range of whole numbers rounds what it compares, and fails on a number that no int holds.</remarks>
public sealed record Location
{
    [Range(-90.0, 90.0)]
    public required double Latitude { get; init; }

    [Range(-180.0, 180.0)]
    public required double Longitude { get; init; }

    [Range(-500.0, 10_000.0)]
    public double? Altitude { get; init; }
}
