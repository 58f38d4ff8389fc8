using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>A position: latitude and longitude in degrees (WGS 84), altitude in meters.</summary>
public sealed record Location
{
    [Range(-90.0, 90.0)]
    public required double Latitude { get; init; }

    [Range(-180.0, 180.0)]
    public required double Longitude { get; init; }

    [Range(-500.0, 10_000.0)]
    public double? Altitude { get; init; }
}
