using System.Globalization;
using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>The drones, seeded into an empty table. Read once: a change of the table needs a restart.</summary>
internal sealed class FleetStore(SqlDatabase database)
{
    private const int DronesPerModel = 20;

    private static readonly (string Name, double CapacityKg, double RangeKm, double SpeedKmh, double TopSpeedKmh)[] Models =
    [
        ("light", 2.5, 40, 55, 70),
        ("medium", 10, 100, 65, 85),
        ("heavy", 40, 200, 80, 100),
    ];

    public static readonly string Schema = $"""
        create table if not exists drones (
            id text primary key, capacity_kg double precision not null, range_km double precision not null,
            speed_kmh double precision not null, top_speed_kmh double precision not null);
        insert into drones select * from (values {string.Join(",", SeedRows())}) as seed where not exists (select 1 from drones);
        """;

    private IReadOnlyList<Drone>? _drones;

    public async Task<IReadOnlyList<Drone>> GetAsync(CancellationToken cancellationToken) =>
        _drones ??= await database.QueryAsync<Drone>("""
            select id, capacity_kg as CapacityKg, range_km as RangeKm, speed_kmh as SpeedKmh, top_speed_kmh as TopSpeedKmh
            from drones order by id
            """, null, cancellationToken);

    /// <summary>Each drone with the number of deliveries that it has still to fly at <paramref name="now"/>.</summary>
    public async Task<IEnumerable<DroneDetails>> GetDetailsAsync(DateTimeOffset now, CancellationToken cancellationToken)
    {
        var drones = await GetAsync(cancellationToken);
        var assigned = (await database.QueryAsync<(string DroneId, long Count)>("""
            select drone_id, count(*) from assignments where cancelled = 0 and landing > @now group by drone_id
            """, new { now = now.ToUnixTimeMilliseconds() }, cancellationToken)).ToDictionary(row => row.DroneId, row => (int)row.Count);
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

    private static IEnumerable<string> SeedRows() =>
        from model in Models
        from number in Enumerable.Range(1, DronesPerModel)
        select string.Create(
            CultureInfo.InvariantCulture,
            $"('{model.Name}-{number:00}',{model.CapacityKg},{model.RangeKm},{model.SpeedKmh},{model.TopSpeedKmh})");
}
