namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>A drone, which carries up to <c>CapacityKg</c> over <c>RangeKm</c> on one charge.</summary>
internal sealed record Drone(string Id, double CapacityKg, double RangeKm, double SpeedKmh, double TopSpeedKmh)
{
    public bool CanFly(double weightKg, double distanceKm) => CapacityKg >= weightKg && RangeKm >= distanceKm;

    public double SpeedOf(bool expedited) => expedited ? TopSpeedKmh : SpeedKmh;
}
