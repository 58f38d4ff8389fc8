namespace DroneDelivery.Contracts;

public static class FlightPosition
{
    public static Location At(FlightPlan plan, DateTimeOffset now)
    {
        var toPickup = now < plan.PickupAt;
        var (from, begin) = toPickup ? (plan.Depot, plan.TakeOff) : (plan.Pickup, plan.PickupAt);
        // A turn before the pickup doesn't affect the next leg.
        if (plan.Turn is { } turn && turn.Time >= begin)
            (from, begin) = (turn.Place, turn.Time);
        return toPickup
            ? Between(from, plan.Pickup, begin, plan.PickupAt, now)
            : Between(from, plan.Dropoff, begin, plan.DropoffAt, now);
    }

    // Over a drone's range, a straight line in degrees deviates from the great circle by meters.
    private static Location Between(
        Location from,
        Location to,
        DateTimeOffset begin,
        DateTimeOffset end,
        DateTimeOffset now
    )
    {
        var share = end > begin ? Math.Clamp((now - begin) / (end - begin), 0, 1) : 1;
        return new Location
        {
            Latitude = from.Latitude + share * (to.Latitude - from.Latitude),
            Longitude = Wrap(from.Longitude + share * Wrap(to.Longitude - from.Longitude)),
            Altitude = from.Altitude is { } low && to.Altitude is { } high ? low + share * (high - low) : null,
        };
    }

    // The shorter way, if necessary across the 180th meridian.
    private static double Wrap(double degrees) =>
        degrees switch
        {
            > 180 => degrees - 360,
            < -180 => degrees + 360,
            _ => degrees,
        };
}
