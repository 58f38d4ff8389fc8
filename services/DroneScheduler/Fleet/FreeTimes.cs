using System.Data.Common;
using Dapper;
using DroneDelivery.DroneScheduler.Flights;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>
/// Stores when drones are free. Flights are cut out of free times, so they can't overlap, and the search doesn't slow down with more
/// flights, because adjacent ones leave no free time between them.
/// </summary>
/// <param name="isSerial">Whether rows need no locks, because transactions run one at a time.</param>
internal sealed class FreeTimes(DbConnection connection, bool isSerial, DateTimeOffset now)
{
    // New drones are free until DateTimeOffset.MaxValue; those of a database without this table, from their last landing.
    public const string AddMissing = """
        insert into free_times
            select id, coalesce((select max(landing) + 1 from assignments where drone_id = drones.id and cancelled = 0), 0), 253402300799999
            from drones where not exists (select 1 from free_times where drone_id = drones.id)
            on conflict (drone_id, ends) do nothing
        """;

    private readonly long _now = now.ToUnixTimeMilliseconds();

    /// <param name="flights">The time of the flight by drone model.</param>
    /// <returns>The earliest free time of each drone in which the flight fits.</returns>
    public Task<IEnumerable<FreeTime>> FirstOfEachDroneAsync(IReadOnlyDictionary<Drone, BusyTime> flights)
    {
        var parameters = new DynamicParameters();
        foreach (var (number, (model, time)) in flights.Index())
        {
            parameters.Add($"CapacityKg{number}", model.CapacityKg);
            parameters.Add($"RangeKm{number}", model.RangeKm);
            parameters.Add($"SpeedKmh{number}", model.SpeedKmh);
            parameters.Add($"TopSpeedKmh{number}", model.TopSpeedKmh);
            parameters.Add($"From{number}", time.From);
            parameters.Add($"Takes{number}", time.Duration);
        }
        var ofAllModels = string.Join(" union all ", Enumerable.Range(0, flights.Count).Select(FirstOfModel));
        return connection.QueryAsync<FreeTime>(ofAllModels, parameters);
    }

    /// <summary>Removes a free time and locks its drone until the transaction ends.</summary>
    /// <returns><c>false</c> if the drone is locked, or another transaction has taken the time.</returns>
    public async Task<bool> TryClaimAsync(FreeTime free, bool waits)
    {
        var rowLock = LockOf(waits ? "" : "skip locked");
        var claim = $"""
            delete from free_times where (drone_id, ends) = (
                select f.drone_id, f.ends from free_times f join drones d on d.id = f.drone_id
                where f.drone_id = @DroneId and f.begins = @Begins and f.ends = @Ends {rowLock})
            """;
        return await connection.ExecuteAsync(claim, free) == 1;
    }

    /// <summary>Cuts a flight out of a free time, and deletes free times in the past.</summary>
    public Task ReserveAsync(FreeTime free, BusyTime time) =>
        connection.ExecuteAsync(
            """
            delete from free_times where drone_id = @DroneId and (ends = @Ends or ends < @now);
            insert into free_times select @DroneId, @Begins, @From where @From > @Begins;
            insert into free_times select @DroneId, @To, @Ends where @Ends > @To;
            """,
            new
            {
                free.DroneId,
                free.Begins,
                free.Ends,
                time.From,
                time.To,
                now = _now,
            }
        );

    /// <summary>Releases time, merged with adjacent free times.</summary>
    public async Task<FreeTime> ReleaseAsync(string droneId, BusyTime time)
    {
        // Locks the adjacent times.
        await connection.ExecuteAsync($"select id from drones where id = @droneId {LockOf("")}", new { droneId });
        var adjacent = (
            await connection.QueryAsync<FreeTime>(
                """
                select drone_id as DroneId, begins as Begins, ends as Ends from free_times
                where drone_id = @droneId and ends >= @From order by ends limit 2
                """,
                new { droneId, time.From }
            )
        ).AsList();
        var free = new FreeTime(
            droneId,
            adjacent.FirstOrDefault(other => other.Ends == time.From)?.Begins ?? time.From,
            adjacent.FirstOrDefault(other => other.Begins == time.To)?.Ends ?? time.To
        );
        await connection.ExecuteAsync(
            """
            delete from free_times where drone_id = @DroneId and (ends = @From or ends = @Ends);
            insert into free_times values (@DroneId, @Begins, @Ends);
            """,
            new
            {
                free.DroneId,
                free.Begins,
                free.Ends,
                time.From,
            }
        );
        return free;
    }

    // Tries the 16 earliest gaps, then the time after the last flight, to limit the cost.
    private static string FirstOfModel(int number) =>
        $"""
            select d.id as DroneId, f.begins as Begins, f.ends as Ends
            from drones d join free_times f on f.drone_id = d.id and f.ends = coalesce(
                (select min(n.ends) from (
                    select begins, ends from free_times
                    where drone_id = d.id and ends >= @From{number} + @Takes{number} order by ends limit 16) n
                 where n.ends - (case when n.begins > @From{number} then n.begins else @From{number} end) >= @Takes{number}),
                (select max(ends) from free_times where drone_id = d.id))
            where d.capacity_kg = @CapacityKg{number} and d.range_km = @RangeKm{number} and d.speed_kmh = @SpeedKmh{number}
                and d.top_speed_kmh = @TopSpeedKmh{number}
                and f.ends - (case when f.begins > @From{number} then f.begins else @From{number} end) >= @Takes{number}
            """;

    private string LockOf(string wait) => isSerial ? "" : $"for update {wait}";
}
