using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>A drone, its flight plan, and the free time in which the flight fits.</summary>
internal sealed record Choice(Drone Drone, FlightPlan Plan, FreeTime Free);
