using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Flights;

/// <summary>Depot → pickup → dropoff → depot.</summary>
internal sealed record FlightRoute(Location Pickup, Location Dropoff)
{
    public Location Depot { get; } = Earth.NearestDepot(Pickup);

    public double ToPickupKm => Earth.DistanceKm(Depot, Pickup);

    public double ToDropoffKm => Earth.DistanceKm(Pickup, Dropoff);

    public double ToDepotKm => Earth.ToDepotKm(Dropoff);

    public double TotalKm => ToPickupKm + ToDropoffKm + ToDepotKm;
}
