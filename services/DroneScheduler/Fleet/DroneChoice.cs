using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Flights;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>A drone, what it flies, and the free time that the flight fits into.</summary>
internal sealed record Choice(Drone Drone, FlightPlan Plan, FreeTime Free);

internal static class DroneChoice
{
    /// <summary>
    /// The drone that can be at the pickup first. Of several, the preferred one; then the weakest, for the strong ones stay free for what
    /// only they can do; then the one that has been free for longest.
    /// </summary>
    /// <returns>Null: none can carry it that far, or every one that can is taken until the calendar ends.</returns>
    public static async Task<Choice?> FindAsync(
        IReadOnlyList<Drone> fleet,
        FreeTimes freeTimes,
        DroneRequest request,
        DateTimeOffset now,
        string? preferred = null
    )
    {
        var route = new FlightRoute(request.Pickup, request.Dropoff);
        FlightPlan Fly(Drone drone, DateTimeOffset earliest) =>
            FlightPlanning.Plan(route, drone.SpeedOf(request.Expedited), request.PickupTime, earliest);

        var able = fleet
            .Where(drone => drone.CanFly(request.PackageWeight, route.TotalKm))
            .ToDictionary(drone => drone.Id);
        if (able.Count == 0)
            return null;
        var flights = able
            .Values.Select(ModelOf)
            .Distinct()
            .ToDictionary(model => model, model => BusyTime.Of(Fly(model, now)));
        var choices =
            from free in await freeTimes.FirstOfEachDroneAsync(flights)
            let drone = able.GetValueOrDefault(free.DroneId)
            where drone is not null // the table may have changed since the fleet was read
            let earliest = free.Begins > flights[ModelOf(drone)].From
                ? DateTimeOffset.FromUnixTimeMilliseconds(free.Begins)
                : now
            select new Choice(drone, Fly(drone, earliest), free);
        return choices
            .OrderBy(choice => choice.Plan.PickupAt)
            .ThenByDescending(choice => choice.Drone.Id == preferred)
            .ThenBy(choice => choice.Drone.CapacityKg)
            .ThenBy(choice => choice.Free.Begins)
            .ThenBy(choice => choice.Drone.Id, StringComparer.Ordinal)
            .FirstOrDefault();
    }

    /// <summary>Drones of one model fly alike; they differ in when they are free.</summary>
    private static Drone ModelOf(Drone drone) => drone with { Id = "" };
}
