using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Flights;

/// <summary>Depot → pickup → dropoff → depot, each the nearest.</summary>
internal sealed record FlightRoute(Location Pickup, Location Dropoff)
{
    public Location Depot { get; } = Earth.NearestDepot(Pickup);

    public double ToPickupKm => Earth.DistanceKm(Depot, Pickup);

    public double ToDropoffKm => Earth.DistanceKm(Pickup, Dropoff);

    public double ToDepotKm => Earth.ToDepotKm(Dropoff);

    public double TotalKm => ToPickupKm + ToDropoffKm + ToDepotKm;
}

/// <summary>The time that a flight takes of its drone, in whole milliseconds around it, as the store counts.</summary>
internal readonly record struct BusyTime(long From, long To)
{
    public long Takes => To - From;

    public static BusyTime Of(FlightPlan plan) => new(plan.TakeOff.ToUnixTimeMilliseconds(), EndOf(plan.Landing));

    /// <summary>Rounded up: a flight that begins then begins after <paramref name="time"/>.</summary>
    public static long EndOf(DateTimeOffset time) =>
        time.ToUnixTimeMilliseconds() + (time.UtcTicks % TimeSpan.TicksPerMillisecond == 0 ? 0 : 1);
}

internal static class FlightPlanning
{
    /// <summary>
    /// The drone reaches the pickup when the package is ready, or as soon as it can when that is too near or past.
    /// </summary>
    /// <param name="pickupTime">When the package is ready.</param>
    /// <param name="earliest">The drone does not take off before.</param>
    public static FlightPlan Plan(
        FlightRoute route,
        double speedKmh,
        DateTimeOffset pickupTime,
        DateTimeOffset earliest
    )
    {
        TimeSpan Fly(double kilometers) => TimeSpan.FromHours(kilometers / speedKmh);

        var inTime = pickupTime.ToUniversalTime() - Fly(route.ToPickupKm);
        var takeOff = inTime > earliest ? inTime : earliest;
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

    /// <summary>
    /// A drone that flies turns where it is. Before the pickup it flies to the new one, and waits there on the ground until the package is
    /// ready; after it, straight to the new dropoff.
    /// </summary>
    public static FlightPlan Turn(
        FlightPlan flown,
        FlightRoute route,
        double speedKmh,
        DateTimeOffset pickupTime,
        DateTimeOffset now
    )
    {
        TimeSpan Fly(double kilometers) => TimeSpan.FromHours(kilometers / speedKmh);

        var place = FlightPosition.At(flown, now);
        var pickupAt =
            now < flown.PickupAt
                ? Later(now + Fly(Earth.DistanceKm(place, route.Pickup)), pickupTime.ToUniversalTime())
                : flown.PickupAt;
        var leaves = now < flown.PickupAt ? (Place: route.Pickup, Time: pickupAt) : (Place: place, Time: now);
        var dropoffAt = leaves.Time + Fly(Earth.DistanceKm(leaves.Place, route.Dropoff));
        return flown with
        {
            Pickup = route.Pickup,
            Dropoff = route.Dropoff,
            PickupAt = pickupAt,
            DropoffAt = dropoffAt,
            Landing = dropoffAt + Fly(route.ToDepotKm),
            DistanceKm =
                flown.DistanceKm
                - LeftKm(flown, flown.Pickup, flown.Dropoff, now)
                + LeftKm(flown, route.Pickup, route.Dropoff, now),
            Turn = new FlightTurn { Place = place, Time = now },
        };
    }

    /// <returns>When a drone whose delivery is cancelled is back at the depot that is nearest to where it is now, and free.</returns>
    public static DateTimeOffset BackAt(FlightPlan flown, double speedKmh, DateTimeOffset now)
    {
        var back = now + TimeSpan.FromHours(Earth.ToDepotKm(FlightPosition.At(flown, now)) / speedKmh);
        return now < flown.DropoffAt && back < flown.Landing ? back : flown.Landing;
    }

    /// <summary>From where the drone is now, by these two places, to the depot.</summary>
    private static double LeftKm(FlightPlan flown, Location pickup, Location dropoff, DateTimeOffset now)
    {
        var place = FlightPosition.At(flown, now);
        var toDropoff =
            now < flown.PickupAt
                ? Earth.DistanceKm(place, pickup) + Earth.DistanceKm(pickup, dropoff)
                : Earth.DistanceKm(place, dropoff);
        return toDropoff + Earth.ToDepotKm(dropoff);
    }

    private static DateTimeOffset Later(DateTimeOffset one, DateTimeOffset other) => one > other ? one : other;
}

/// <summary>Distances, and where the depots stand: on a grid of 0.1 degrees, so wherever a delivery is, one is at most 8 km away.</summary>
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
