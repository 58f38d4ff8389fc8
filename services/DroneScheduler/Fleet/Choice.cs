using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Fleet;

internal sealed record Choice(Drone Drone, FlightPlan Plan, FreeTime Free);
