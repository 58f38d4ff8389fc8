using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.DroneScheduler.Fleet;

namespace DroneDelivery.DroneScheduler;

/// <summary>One change of assignments and of what they take of the drones' time. No other one runs at the same time.</summary>
internal sealed class AssignmentChange(SqlSession session, DateTimeOffset now)
{
    public const string Find = """
        select assignment as Json, request as Request, made_for as MadeFor, attempt as Attempt from assignments
        where delivery_id = @deliveryId
        """;

    /// <summary>Of requests that failed before a time.</summary>
    public const string PurgeFailed = """
        delete from failed_drone_requests where request in (
            select request from failed_drone_requests where failed_at < @before limit @most)
        """;

    public FreeTimes FreeTimes { get; } = new(session, now);

    public DateTimeOffset Now => now;

    public Task<StoredAssignment?> FindAsync(string deliveryId) => session.FindAsync<StoredAssignment>(Find, new { deliveryId });

    public Task AddAsync(DroneAssignment assignment, string request, AssignmentRequest? madeFor) => session.ExecuteAsync("""
        insert into assignments (
            delivery_id, drone_id, owner_id, take_off, landing, distance_km, cancelled, assignment, request, made_for, attempt)
        values (
            @DeliveryId, @DroneId, @OwnerId, @TakeOff, @Landing, @DistanceKm, @Cancelled, @Json, @Request, @MadeFor, @Attempt)
        """, new Row(assignment) { Request = request, MadeFor = madeFor?.Key, Attempt = madeFor?.Attempt ?? 0 });

    public Task ReplaceAsync(DroneAssignment assignment) => session.ExecuteAsync("""
        update assignments set drone_id = @DroneId, take_off = @TakeOff, landing = @Landing, distance_km = @DistanceKm,
            cancelled = @Cancelled, assignment = @Json
        where delivery_id = @DeliveryId
        """, new Row(assignment));

    public Task SetAttemptAsync(string deliveryId, int attempt) =>
        session.ExecuteAsync("update assignments set attempt = @attempt where delivery_id = @deliveryId", new { deliveryId, attempt });

    public Task DeleteAsync(string deliveryId) =>
        session.ExecuteAsync("delete from assignments where delivery_id = @deliveryId", new { deliveryId });

    /// <summary>This attempt of the request, and each before it, is refused from now on.</summary>
    public Task FailAsync(AssignmentRequest request) => session.ExecuteAsync("""
        insert into failed_drone_requests (request, attempt, failed_at) values (@Key, @Attempt, @now)
        on conflict (request) do update set attempt = excluded.attempt, failed_at = excluded.failed_at
        where failed_drone_requests.attempt < excluded.attempt
        """, new { request.Key, request.Attempt, now = now.ToUnixTimeMilliseconds() });

    public async Task<bool> HasFailedAsync(AssignmentRequest request) => (await session.QueryAsync<string>(
        "select request from failed_drone_requests where request = @Key and attempt >= @Attempt", request)).Count == 1;

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

        public string? MadeFor { get; init; }

        public long Attempt { get; init; }
    }
}
