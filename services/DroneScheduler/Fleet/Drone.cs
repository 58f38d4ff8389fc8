namespace DroneDelivery.DroneScheduler.Fleet;

internal sealed record Drone(string Id, double CapacityKg, double RangeKm, double SpeedKmh, double TopSpeedKmh)
{
    public bool CanFly(double weightKg, double distanceKm) => CapacityKg >= weightKg && RangeKm >= distanceKm;

    public double SpeedOf(bool expedited) => expedited ? TopSpeedKmh : SpeedKmh;
}
