using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Flights;

namespace DroneDelivery.DroneScheduler.Fleet;

internal static class DroneChoice
{
    /// <summary>
    /// Reserves the drone that can reach the pickup first; of several, the preferred one, then one with the smallest capacity, then the one
    /// that has been idle longest. Concurrent transactions reserve different drones.
    /// </summary>
    /// <returns><c>null</c> if no drone can carry the package that far, or all are fully booked.</returns>
    public static async Task<Choice?> TakeAsync(AssignmentChange change, DroneRequest request, string? preferred = null)
    {
        // Waits only if all suitable drones are locked or were booked meanwhile.
        for (var waits = false; ; waits = true)
        {
            var choices = await FindAsync(change, request, preferred);
            if (choices.Count == 0)
                return null;
            foreach (var choice in choices)
            {
                if (!await change.FreeTimes.TryClaimAsync(choice.Free, waits))
                    continue;
                await change.FreeTimes.ReserveAsync(choice.Free, BusyTime.Of(choice.Plan));
                return choice;
            }
        }
    }

    private static async Task<IReadOnlyList<Choice>> FindAsync(
        AssignmentChange change,
        DroneRequest request,
        string? preferred
    )
    {
        var route = new FlightRoute(request.Pickup, request.Dropoff);
        FlightPlan Fly(Drone drone, DateTimeOffset earliest) =>
            FlightPlanning.Plan(route, drone.SpeedOf(request.Expedited), request.PickupTime, earliest);

        var able = change
            .Fleet.Where(drone => drone.CanFly(request.PackageWeight, route.TotalKm))
            .ToDictionary(drone => drone.Id);
        if (able.Count == 0)
            return [];
        var flights = able
            .Values.Select(ModelOf)
            .Distinct()
            .ToDictionary(model => model, model => BusyTime.Of(Fly(model, change.Now)));
        var choices =
            from free in await change.FreeTimes.FirstOfEachDroneAsync(flights)
            let drone = able.GetValueOrDefault(free.DroneId)
            where drone is not null // the table may have changed since the fleet was read
            let earliest = free.Begins > flights[ModelOf(drone)].From
                ? DateTimeOffset.FromUnixTimeMilliseconds(free.Begins)
                : change.Now
            select new Choice(drone, Fly(drone, earliest), free);
        return
        [
            .. choices
                .OrderBy(choice => choice.Plan.PickupAt)
                .ThenByDescending(choice => choice.Drone.Id == preferred)
                .ThenBy(choice => choice.Drone.CapacityKg)
                .ThenBy(choice => choice.Free.Begins)
                .ThenBy(choice => choice.Drone.Id, StringComparer.Ordinal),
        ];
    }

    private static Drone ModelOf(Drone drone) => drone with { Id = "" };
}
