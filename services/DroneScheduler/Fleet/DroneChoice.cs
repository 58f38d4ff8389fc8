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
        IReadOnlyList<Drone> fleet, FreeTimes freeTimes, DroneRequest request, DateTimeOffset now, string? preferred = null)
    {
        var route = new FlightRoute(request.Pickup, request.Dropoff);
        var able = fleet.Where(drone => drone.CanFly(request.PackageWeight, route.TotalKm));
        var choices = new List<Choice>();
        foreach (var drones in able.GroupBy(drone => drone with { Id = "" }))
            choices.AddRange(await ChoicesAsync(drones.ToDictionary(drone => drone.Id), drones.Key, freeTimes, route, request, now));
        return choices
            .OrderBy(choice => choice.Plan.PickupAt)
            .ThenByDescending(choice => choice.Drone.Id == preferred)
            .ThenBy(choice => choice.Drone.CapacityKg)
            .ThenBy(choice => choice.Free.Begins)
            .ThenBy(choice => choice.Drone.Id, StringComparer.Ordinal)
            .FirstOrDefault();
    }

    /// <summary>Of drones of one model: their flights differ in nothing but when they begin.</summary>
    private static async Task<IEnumerable<Choice>> ChoicesAsync(
        Dictionary<string, Drone> drones, Drone model, FreeTimes freeTimes, FlightRoute route, DroneRequest request, DateTimeOffset now)
    {
        var speedKmh = model.SpeedOf(request.Expedited);
        var atOnce = FlightPlanning.Plan(route, speedKmh, request.PickupTime, now);
        var time = BusyTime.Of(atOnce);
        return from free in await freeTimes.FirstOfEachDroneAsync(model, time)
               where drones.ContainsKey(free.DroneId) // the table may have changed since the fleet was read
               let plan = free.Begins <= time.From
                   ? atOnce
                   : FlightPlanning.Plan(route, speedKmh, request.PickupTime, DateTimeOffset.FromUnixTimeMilliseconds(free.Begins))
               select new Choice(drones[free.DroneId], plan, free);
    }
}
