using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Flights;

internal static class FlightPlanning
{
    /// <summary>The drone reaches the pickup when the package is ready, or as soon as it can when that is too near or past.</summary>
    public static FlightPlan Plan(FlightRoute route, double speedKmh, DateTimeOffset pickupTime, DateTimeOffset now)
    {
        TimeSpan Fly(double kilometres) => TimeSpan.FromHours(kilometres / speedKmh);

        var inTime = pickupTime.ToUniversalTime() - Fly(route.ToPickupKm);
        var takeOff = inTime > now ? inTime : now;
        var pickupAt = takeOff + Fly(route.ToPickupKm);
        var dropoffAt = pickupAt + Fly(route.ToDropoffKm);
        return new FlightPlan
        {
            Depot = route.Depot,
            Pickup = route.Pickup,
            Dropoff = route.Dropoff,
            TakeOff = takeOff,
            PickupAt = pickupAt,
            DropoffAt = dropoffAt,
            Landing = dropoffAt + Fly(route.ToDepotKm),
            DistanceKm = route.TotalKm,
        };
    }
}
