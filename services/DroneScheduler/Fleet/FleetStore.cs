using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>Reads the drones once; changes to the table require a restart.</summary>
internal sealed class FleetStore(SqlDatabase database)
{
    internal const string CountAssigned =
        "select drone_id, count(*) from assignments where cancelled = 0 and landing > @now group by drone_id";

    private IReadOnlyList<Drone>? _drones;

    public async Task<IReadOnlyList<Drone>> GetAsync(CancellationToken cancellationToken) =>
        _drones ??= await ReadAsync(cancellationToken);

    /// <summary>Returns each drone with the number of its flights that land after <paramref name="now"/>.</summary>
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

    private async Task<IReadOnlyList<Drone>> ReadAsync(CancellationToken cancellationToken)
    {
        await database.ExecuteAsync(FreeTimes.AddMissing, null, cancellationToken);
        var drones = await database.QueryAsync<Drone>(
            """
            select id, capacity_kg as CapacityKg, range_km as RangeKm, speed_kmh as SpeedKmh, top_speed_kmh as TopSpeedKmh
            from drones order by id
            """,
            null,
            cancellationToken
        );
        return drones.AsList();
    }
}
