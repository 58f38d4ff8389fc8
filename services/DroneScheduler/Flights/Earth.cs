using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Flights;

/// <summary>Distances and depots, which form a grid of 0.1 degrees, so that one is always within 8 km.</summary>
internal static class Earth
{
    private const double RadiusKm = 6371;

    public static Location NearestDepot(Location location) =>
        new() { Latitude = Math.Round(location.Latitude, 1), Longitude = Math.Round(location.Longitude, 1) };

    /// <summary>Great-circle distance by the haversine formula.</summary>
    public static double DistanceKm(Location from, Location to)
    {
        var (latitude1, latitude2) = (double.DegreesToRadians(from.Latitude), double.DegreesToRadians(to.Latitude));
        var haversine =
            HalfSineSquared(latitude2 - latitude1)
            + Math.Cos(latitude1)
                * Math.Cos(latitude2)
                * HalfSineSquared(double.DegreesToRadians(to.Longitude - from.Longitude));
        return 2 * RadiusKm * Math.Asin(Math.Min(1, Math.Sqrt(haversine)));
    }

    public static double ToDepotKm(Location from) => DistanceKm(from, NearestDepot(from));

    private static double HalfSineSquared(double angle) => Math.Pow(Math.Sin(angle / 2), 2);
}
