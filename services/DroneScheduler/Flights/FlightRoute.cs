using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Flights;

/// <summary>
/// Depot → pickup → dropoff → depot. Depots stand on a grid of 0.1 degrees, so wherever a delivery is, one is at most 8 km away.
/// </summary>
internal sealed record FlightRoute(Location Pickup, Location Dropoff)
{
    private const double EarthRadiusKm = 6371;

    public Location Depot { get; } = NearestDepot(Pickup);

    public double ToPickupKm => DistanceKm(Depot, Pickup);

    public double ToDropoffKm => DistanceKm(Pickup, Dropoff);

    public double ToDepotKm => DistanceKm(Dropoff, NearestDepot(Dropoff));

    public double TotalKm => ToPickupKm + ToDropoffKm + ToDepotKm;

    private static Location NearestDepot(Location location) =>
        new() { Latitude = Math.Round(location.Latitude, 1), Longitude = Math.Round(location.Longitude, 1) };

    /// <summary>Great-circle distance by the haversine formula.</summary>
    private static double DistanceKm(Location from, Location to)
    {
        var (latitude1, latitude2) = (double.DegreesToRadians(from.Latitude), double.DegreesToRadians(to.Latitude));
        var haversine = HalfSineSquared(latitude2 - latitude1)
            + Math.Cos(latitude1) * Math.Cos(latitude2) * HalfSineSquared(double.DegreesToRadians(to.Longitude - from.Longitude));
        return 2 * EarthRadiusKm * Math.Asin(Math.Min(1, Math.Sqrt(haversine)));
    }

    private static double HalfSineSquared(double angle) => Math.Pow(Math.Sin(angle / 2), 2);
}
