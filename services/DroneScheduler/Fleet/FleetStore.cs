using System.Data.Common;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>One drone. It carries <c>CapacityKg</c> over <c>RangeKm</c> on one charge, at <c>TopSpeedKmh</c> when expedited.</summary>
internal sealed record Drone(string Id, double CapacityKg, double RangeKm, double SpeedKmh, double TopSpeedKmh)
{
    public bool CanFly(double weightKg, double distanceKm) => CapacityKg >= weightKg && RangeKm >= distanceKm;

    public double SpeedOf(bool expedited) => expedited ? TopSpeedKmh : SpeedKmh;
}

/// <summary>The drones. Read once: a change of the table needs a restart.</summary>
internal sealed class FleetStore(SqlDatabase database)
{
    internal const string CountAssigned =
        "select drone_id, count(*) from assignments where cancelled = 0 and landing > @now group by drone_id";

    private IReadOnlyList<Drone>? _drones;

    public async Task<IReadOnlyList<Drone>> GetAsync(CancellationToken cancellationToken) =>
        _drones ??= await database.ExclusiveAsync(ReadAsync, cancellationToken);

    /// <summary>Each drone with the number of deliveries that it has still to fly at <paramref name="now"/>.</summary>
    public async Task<IEnumerable<DroneDetails>> GetDetailsAsync(
        DateTimeOffset now,
        CancellationToken cancellationToken
    )
    {
        var drones = await GetAsync(cancellationToken);
        var assigned = (
            await database.QueryAsync<(string DroneId, long Count)>(
                CountAssigned,
                new { now = now.ToUnixTimeMilliseconds() },
                cancellationToken
            )
        ).ToDictionary(row => row.DroneId, row => (int)row.Count);
        return drones.Select(drone => new DroneDetails
        {
            DroneId = drone.Id,
            CapacityKg = drone.CapacityKg,
            RangeKm = drone.RangeKm,
            SpeedKmh = drone.SpeedKmh,
            TopSpeedKmh = drone.TopSpeedKmh,
            Assigned = assigned.GetValueOrDefault(drone.Id),
        });
    }

    private static async Task<IReadOnlyList<Drone>> ReadAsync(DbConnection connection)
    {
        await connection.ExecuteAsync(FreeTimes.AddMissing);
        var drones = await connection.QueryAsync<Drone>(
            """
            select id, capacity_kg as CapacityKg, range_km as RangeKm, speed_kmh as SpeedKmh, top_speed_kmh as TopSpeedKmh
            from drones order by id
            """
        );
        return drones.AsList();
    }
}
