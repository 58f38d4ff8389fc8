namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>One drone. It carries <c>CapacityKg</c> over <c>RangeKm</c> on one charge, at <c>TopSpeedKmh</c> when expedited.</summary>
internal sealed record Drone(string Id, double CapacityKg, double RangeKm, double SpeedKmh, double TopSpeedKmh)
{
    public bool CanFly(double weightKg, double distanceKm) => CapacityKg >= weightKg && RangeKm >= distanceKm;

    public double SpeedOf(bool expedited) => expedited ? TopSpeedKmh : SpeedKmh;
}
