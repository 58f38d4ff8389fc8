using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.DroneScheduler;

/// <summary>The primary key is what gives a delivery one drone, however many replicas assign at once.</summary>
internal sealed class AssignmentStore(SqlDatabase database)
{
    public const string Schema = """
        create table if not exists assignments (
            delivery_id text primary key, drone_id text not null, owner_id text not null,
            take_off bigint not null, landing bigint not null, -- Unix time in ms
            distance_km double precision not null, cancelled bigint not null,
            assignment text not null, -- all of it, as JSON
            request text not null); -- fingerprint of the PUT
        create index if not exists assignments_of_owner on assignments (owner_id, take_off);
        """;

    private const double MilesPerKm = 0.621371;
    private const double MillisecondsPerHour = 3_600_000;

    /// <returns>False: the delivery has an assignment already, which stays as it is.</returns>
    public async Task<bool> TryAddAsync(DroneAssignment assignment, string request, CancellationToken cancellationToken) =>
        await database.ExecuteAsync("""
            insert into assignments (delivery_id, drone_id, owner_id, take_off, landing, distance_km, cancelled, assignment, request)
            values (@DeliveryId, @DroneId, @OwnerId, @TakeOff, @Landing, @DistanceKm, @Cancelled, @Json, @Request)
            on conflict (delivery_id) do nothing
            """, new Row(assignment) { Request = request }, cancellationToken) == 1;

    /// <returns>False: somebody else changed it since <paramref name="old"/> was read.</returns>
    public async Task<bool> TryReplaceAsync(StoredAssignment old, DroneAssignment changed, CancellationToken cancellationToken) =>
        await database.ExecuteAsync("""
            update assignments set drone_id = @DroneId, take_off = @TakeOff, landing = @Landing, distance_km = @DistanceKm,
                cancelled = @Cancelled, assignment = @Json
            where delivery_id = @DeliveryId and assignment = @OldJson
            """, new Row(changed) { OldJson = old.Json }, cancellationToken) == 1;

    public async Task<StoredAssignment?> FindAsync(string deliveryId, CancellationToken cancellationToken) =>
        await database.FindAsync<StoredAssignment>(
            "select assignment as Json, request from assignments where delivery_id = @deliveryId", new { deliveryId }, cancellationToken);

    /// <summary>Flights that take off in the month (UTC) and are not cancelled.</summary>
    public async Task<DroneUtilization> GetUtilizationAsync(string ownerId, int year, int month, CancellationToken cancellationToken)
    {
        var from = new DateTimeOffset(year, month, 1, 0, 0, 0, TimeSpan.Zero);
        var (kilometres, milliseconds) = await database.SingleAsync<(double, double)>("""
            select coalesce(sum(distance_km), 0.0), coalesce(sum(cast(landing - take_off as double precision)), 0.0) from assignments
            where owner_id = @ownerId and take_off >= @from and take_off < @to and cancelled = 0
            """, new { ownerId, from = from.ToUnixTimeMilliseconds(), to = from.AddMonths(1).ToUnixTimeMilliseconds() }, cancellationToken);
        return new DroneUtilization { TraveledMiles = kilometres * MilesPerKm, AssignedHours = milliseconds / MillisecondsPerHour };
    }

    private sealed class Row(DroneAssignment assignment)
    {
        public string DeliveryId => assignment.DeliveryId;

        public string DroneId => assignment.DroneId;

        public string OwnerId => assignment.OwnerId;

        public long TakeOff => assignment.FlightPlan.TakeOff.ToUnixTimeMilliseconds();

        public long Landing => assignment.FlightPlan.Landing.ToUnixTimeMilliseconds();

        public double DistanceKm => assignment.FlightPlan.DistanceKm;

        public long Cancelled => assignment.Cancelled ? 1 : 0;

        public string Json { get; } = JsonSerializer.Serialize(assignment, ContractJson.Options);

        public string? Request { get; init; }

        public string? OldJson { get; init; }
    }
}

/// <summary>What the table holds: the assignment as JSON, and the fingerprint of the PUT that made it.</summary>
internal sealed record StoredAssignment(string Json, string Request)
{
    public DroneAssignment Assignment { get; } = JsonSerializer.Deserialize<DroneAssignment>(Json, ContractJson.Options)!;
}
