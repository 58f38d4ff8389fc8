using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>A point on or above the ground: degrees (WGS 84), altitude in metres.</summary>
public sealed record Location
{
    [Range(-90, 90)]
    public required double Latitude { get; init; }

    [Range(-180, 180)]
    public required double Longitude { get; init; }

    [Range(-500, 10_000)]
    public double? Altitude { get; init; }
}
