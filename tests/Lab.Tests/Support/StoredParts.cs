using System.Globalization;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>The rows in SQLite files and keys in Redis that a batch of deliveries has left.</summary>
internal sealed class StoredParts(RunningApplication running, string batch)
{
    public async Task AssertFitAsync(IReadOnlyDictionary<string, DeliveryStage> ends)
    {
        var made = ends.Where(end => end.Value != DeliveryStage.Failed).Select(end => end.Key).ToList();
        var flown = made.Where(id => ends[id] != DeliveryStage.Cancelled).ToList();

        AssertSame(
            "packages",
            made.Select(id => $"package-{id}"),
            await ColumnAsync("package", $"select id from packages where id like 'package-{batch}-%'")
        );
        AssertSame(
            "assignments",
            made,
            await ColumnAsync(
                "dronescheduler",
                $"select delivery_id from assignments where delivery_id like '{batch}-%'"
            )
        );
        AssertSame(
            "flights",
            flown,
            await ColumnAsync(
                "dronescheduler",
                $"select delivery_id from assignments where cancelled = 0 and delivery_id like '{batch}-%'"
            )
        );
        using var redis = await RedisServer.OpenAsync(running.Plan.RedisConnectionString);
        var keys = redis
            .GetServer(running.Plan.RedisConnectionString)
            .Keys(pattern: $"delivery:{batch}-*", pageSize: 1_000);
        AssertSame(
            "keys",
            ends.Keys.SelectMany(id => new[] { $"delivery:{id}", $"delivery:{id}:events" }),
            keys.Select(key => $"{key}")
        );
        var month = await redis.GetDatabase().SetMembersAsync($"owner:{Orders.OwnerOf(batch)}:2030-01");
        AssertSame("deliveries of the month", flown, month.Select(id => $"{id}"));
        await AssertFreeTimesAsync();
    }

    /// <summary>
    /// Asserts that each drone is reserved exactly for the time of its flights. Flights of other tests of the same
    /// application may be in the past, for which the service keeps no times.
    /// </summary>
    private async Task AssertFreeTimesAsync()
    {
        var start = new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);
        var flights = (await ColumnAsync("dronescheduler", "select assignment from assignments where cancelled = 0"))
            .Select(json => JsonSerializer.Deserialize<DroneAssignment>(json, ContractJson.Options)!)
            .Where(flight => flight.FlightPlan.TakeOff >= start)
            .Select(flight => $"{flight.DroneId} {MillisecondsOf(flight.FlightPlan)}");
        var taken = await ColumnAsync(
            "dronescheduler",
            $"""
            select drone_id || ' ' || (begins - before) from (
                select drone_id, begins, lag(ends) over (partition by drone_id order by ends) as before from free_times)
            where before >= {start.ToUnixTimeMilliseconds()}
            """
        );
        AssertSame("times of drones", SumsOf(flights), SumsOf(taken));
    }

    private static IEnumerable<string> SumsOf(IEnumerable<string> times) =>
        times
            .Select(time => time.Split(' '))
            .GroupBy(time => time[0], time => long.Parse(time[1], CultureInfo.InvariantCulture))
            .Select(drone => $"{drone.Key} {drone.Sum()}");

    /// <summary>Rounds outward to whole milliseconds, like the store.</summary>
    private static long MillisecondsOf(FlightPlan plan) =>
        plan.Landing.AddTicks(TimeSpan.TicksPerMillisecond - 1).ToUnixTimeMilliseconds()
        - plan.TakeOff.ToUnixTimeMilliseconds();

    private async Task<IReadOnlyList<string>> ColumnAsync(string service, string sql)
    {
        var file = Path.Combine(running.Plan.Data, $"{service}.db");
        await using var connection = new SqliteConnection($"Data Source={file};Mode=ReadOnly;Pooling=False");
        await connection.OpenAsync(Cancel);
        await using var command = connection.CreateCommand();
#pragma warning disable CA2100 // The SQL is a constant of the test.
        command.CommandText = sql;
#pragma warning restore CA2100
        var column = new List<string>();
        await using var rows = await command.ExecuteReaderAsync(Cancel);
        while (await rows.ReadAsync(Cancel))
            column.Add(rows.GetString(0));
        return column;
    }

    private static void AssertSame(string what, IEnumerable<string> expected, IEnumerable<string> actual)
    {
        var (wanted, found) = (expected.ToHashSet(), actual.ToHashSet());
        var missing = wanted.Except(found).ToList();
        var leftOver = found.Except(wanted).ToList();
        Assert.True(
            missing.Count + leftOver.Count == 0,
            $"{what}: missing {missing.Count} ({string.Join(", ", missing.Take(3))}), "
                + $"unexpected {leftOver.Count} ({string.Join(", ", leftOver.Take(3))})."
        );
    }
}
