using DroneDelivery.Contracts;

namespace DroneDelivery.Delivery.Status;

/// <summary>Where a drone is, from its flight plan and the clock.</summary>
internal static class Flight
{
    public static Location PositionAt(FlightPlan plan, DateTimeOffset now) =>
        now < plan.PickupAt
            ? Between(plan.Depot, plan.Pickup, plan.TakeOff, plan.PickupAt, now)
            : Between(plan.Pickup, plan.Dropoff, plan.PickupAt, plan.DropoffAt, now);

    // A straight line in degrees: over the range of a drone it leaves the great circle by metres.
    private static Location Between(Location from, Location to, DateTimeOffset begin, DateTimeOffset end, DateTimeOffset now)
    {
        var share = end > begin ? Math.Clamp((now - begin) / (end - begin), 0, 1) : 1;
        return new Location
        {
            Latitude = from.Latitude + share * (to.Latitude - from.Latitude),
            Longitude = Wrap(from.Longitude + share * Wrap(to.Longitude - from.Longitude)),
            Altitude = from.Altitude is { } low && to.Altitude is { } high ? low + share * (high - low) : null,
        };
    }

    // The short way round, across the 180th meridian if need be.
    private static double Wrap(double degrees) => degrees switch
    {
        > 180 => degrees - 360,
        < -180 => degrees + 360,
        _ => degrees,
    };
}
