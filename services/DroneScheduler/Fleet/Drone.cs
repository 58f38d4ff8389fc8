namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>One drone. It carries <c>CapacityKg</c> over <c>RangeKm</c> on one charge, at <c>TopSpeedKmh</c> when expedited.</summary>
internal sealed record Drone(string Id, double CapacityKg, double RangeKm, double SpeedKmh, double TopSpeedKmh);
