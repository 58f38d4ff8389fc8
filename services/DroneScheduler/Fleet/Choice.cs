using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>A drone, what it flies, and the free time that the flight fits into.</summary>
internal sealed record Choice(Drone Drone, FlightPlan Plan, FreeTime Free);
