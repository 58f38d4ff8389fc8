using System.Data.Common;
using Dapper;
using DroneDelivery.DroneScheduler.Flights;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>
/// When each drone is free. Flights cut pieces out of it, so two flights of a drone cannot overlap, and to find the first time that a
/// flight fits into does not take longer the more flights there are: adjacent flights leave no free time to search.
/// </summary>
/// <param name="isSerial">Whether transactions run one at a time, so that rows need no locks.</param>
internal sealed class FreeTimes(DbConnection connection, bool isSerial, DateTimeOffset now)
{
    // A drone that is new is free until the end of the calendar, DateTimeOffset.MaxValue. One that a database had flights of before it had
    // this table is free after the last one.
    public const string AddMissing = """
        insert into free_times
            select id, coalesce((select max(landing) + 1 from assignments where drone_id = drones.id and cancelled = 0), 0), 253402300799999
            from drones where not exists (select 1 from free_times where drone_id = drones.id)
            on conflict (drone_id, ends) do nothing
        """;

    private readonly long _now = now.ToUnixTimeMilliseconds();

    /// <param name="flights">
    /// For each model of drone, when it would fly if it were free: all in one statement, for the database may be far.
    /// </param>
    /// <returns>Of each drone of these models the first time that the flight fits into which begins then or later.</returns>
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
            parameters.Add($"Takes{number}", time.Takes);
        }
        var ofAllModels = string.Join(" union all ", Enumerable.Range(0, flights.Count).Select(FirstOfModel));
        return connection.QueryAsync<FreeTime>(ofAllModels, parameters);
    }

    /// <summary>Takes a free time, and locks its drone until the transaction ends.</summary>
    /// <param name="waits">Whether to wait for a transaction that has locked the drone.</param>
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

    /// <summary>Cuts the time of a flight out. Free times that are over go, too.</summary>
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

    /// <summary>Gives time back, merged with the adjacent free times.</summary>
    public async Task<FreeTime> ReleaseAsync(string droneId, BusyTime time)
    {
        // The adjacent times must not change until they are merged.
        await connection.ExecuteAsync($"select id from drones where id = @droneId {LockOf("")}", new { droneId });
        var beside = (
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
            beside.FirstOrDefault(other => other.Ends == time.From)?.Begins ?? time.From,
            beside.FirstOrDefault(other => other.Begins == time.To)?.Ends ?? time.To
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

    // Of many short gaps the first 16 that do not end too early are tried, then the time after the last flight: the cost has a bound.
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
