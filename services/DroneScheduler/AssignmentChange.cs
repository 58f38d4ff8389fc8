using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.DroneScheduler.Fleet;

namespace DroneDelivery.DroneScheduler;

/// <summary>One change of assignments and of what they take of the drones' time. No other one runs at the same time.</summary>
internal sealed class AssignmentChange(SqlSession session, DateTimeOffset now)
{
    public const string Find = "select assignment as Json, request as Request from assignments where delivery_id = @deliveryId";

    public FreeTimes FreeTimes { get; } = new(session, now);

    public DateTimeOffset Now => now;

    public Task<StoredAssignment?> FindAsync(string deliveryId) => session.FindAsync<StoredAssignment>(Find, new { deliveryId });

    public Task AddAsync(DroneAssignment assignment, string request) => session.ExecuteAsync("""
        insert into assignments (delivery_id, drone_id, owner_id, take_off, landing, distance_km, cancelled, assignment, request)
        values (@DeliveryId, @DroneId, @OwnerId, @TakeOff, @Landing, @DistanceKm, @Cancelled, @Json, @Request)
        """, new Row(assignment) { Request = request });

    public Task ReplaceAsync(DroneAssignment assignment) => session.ExecuteAsync("""
        update assignments set drone_id = @DroneId, take_off = @TakeOff, landing = @Landing, distance_km = @DistanceKm,
            cancelled = @Cancelled, assignment = @Json
        where delivery_id = @DeliveryId
        """, new Row(assignment));

    /// <returns>What the steps return. Null undoes what they changed.</returns>
    public async Task<T?> TryAsync<T>(Func<Task<T?>> steps) where T : class
    {
        await session.ExecuteAsync("savepoint before_steps", null);
        var result = await steps();
        await session.ExecuteAsync(result is null ? "rollback to savepoint before_steps" : "release savepoint before_steps", null);
        return result;
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
    }
}
