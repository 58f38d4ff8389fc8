using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Flights;

internal static class FlightPlanning
{
    /// <summary>Plans a flight that reaches the pickup when the package is ready, or as soon as possible afterward.</summary>
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
    /// Plans a course change in flight: to the new pickup, where the drone waits for the package, or if it has the package, to the new
    /// dropoff.
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

    /// <returns>The time at which the drone of a cancelled delivery is back at the nearest depot.</returns>
    public static DateTimeOffset BackAt(FlightPlan flown, double speedKmh, DateTimeOffset now)
    {
        var back = now + TimeSpan.FromHours(Earth.ToDepotKm(FlightPosition.At(flown, now)) / speedKmh);
        return now < flown.DropoffAt && back < flown.Landing ? back : flown.Landing;
    }

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
