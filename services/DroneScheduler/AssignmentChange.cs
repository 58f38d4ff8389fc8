using System.Data.Common;
using System.Text.Json;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.DroneScheduler.Fleet;

namespace DroneDelivery.DroneScheduler;

/// <summary>A transaction that changes an assignment and the free times of its drone.</summary>
internal sealed class AssignmentChange(
    DbConnection connection,
    bool isSerial,
    IReadOnlyList<Drone> fleet,
    DateTimeOffset now
)
{
    public const string Find = """
        select assignment as Json, request as Request, made_for as MadeFor, attempt as Attempt from assignments
        where delivery_id = @deliveryId
        """;

    /// <summary>Deletes old tombstones. Checks the time twice, so that PostgreSQL keeps one that is renewed meanwhile.</summary>
    public const string PurgeFailed = """
        delete from failed_drone_requests where failed_at < @before and request in (
            select request from failed_drone_requests where failed_at < @before limit @most)
        """;

    public IReadOnlyList<Drone> Fleet => fleet;

    public FreeTimes FreeTimes { get; } = new(connection, isSerial, now);

    public DateTimeOffset Now => now;

    public Task<StoredAssignment?> FindAsync(string deliveryId) =>
        connection.QuerySingleOrDefaultAsync<StoredAssignment>(Find, new { deliveryId });

    public Task AddAsync(DroneAssignment assignment, string request, AssignmentRequest? madeFor) =>
        connection.ExecuteAsync(
            """
            insert into assignments (
                delivery_id, drone_id, owner_id, take_off, landing, distance_km, cancelled, assignment, request, made_for, attempt)
            values (
                @DeliveryId, @DroneId, @OwnerId, @TakeOff, @Landing, @DistanceKm, @Cancelled, @Json, @Request, @MadeFor, @Attempt)
            """,
            RowOf(assignment, request, madeFor)
        );

    public Task ReplaceAsync(DroneAssignment assignment) =>
        connection.ExecuteAsync(
            """
            update assignments set drone_id = @DroneId, take_off = @TakeOff, landing = @Landing, distance_km = @DistanceKm,
                cancelled = @Cancelled, assignment = @Json
            where delivery_id = @DeliveryId
            """,
            RowOf(assignment)
        );

    public Task SetAttemptAsync(string deliveryId, int attempt) =>
        connection.ExecuteAsync(
            "update assignments set attempt = @attempt where delivery_id = @deliveryId",
            new { deliveryId, attempt }
        );

    public Task DeleteAsync(string deliveryId) =>
        connection.ExecuteAsync("delete from assignments where delivery_id = @deliveryId", new { deliveryId });

    /// <summary>Stores a tombstone, which rejects this attempt and earlier ones.</summary>
    public Task FailAsync(AssignmentRequest request) =>
        connection.ExecuteAsync(
            """
            insert into failed_drone_requests (request, attempt, failed_at) values (@Key, @Attempt, @now)
            on conflict (request) do update set attempt = excluded.attempt, failed_at = excluded.failed_at
            where failed_drone_requests.attempt < excluded.attempt
            """,
            new
            {
                request.Key,
                request.Attempt,
                now = now.ToUnixTimeMilliseconds(),
            }
        );

    public async Task<bool> HasFailedAsync(AssignmentRequest request) =>
        (
            await connection.QueryAsync<string>(
                "select request from failed_drone_requests where request = @Key and attempt >= @Attempt",
                request
            )
        ).Any();

    /// <returns><c>null</c> if the steps returned <c>null</c> and were rolled back.</returns>
    public async Task<T?> TryAsync<T>(Func<Task<T?>> steps)
        where T : class
    {
        await connection.ExecuteAsync("savepoint before_steps");
        var result = await steps();
        await connection.ExecuteAsync(
            result is null ? "rollback to savepoint before_steps" : "release savepoint before_steps"
        );
        return result;
    }

    private static object RowOf(
        DroneAssignment assignment,
        string? request = null,
        AssignmentRequest? madeFor = null
    ) =>
        new
        {
            assignment.DeliveryId,
            assignment.DroneId,
            assignment.OwnerId,
            TakeOff = assignment.FlightPlan.TakeOff.ToUnixTimeMilliseconds(),
            Landing = assignment.FlightPlan.Landing.ToUnixTimeMilliseconds(),
            assignment.FlightPlan.DistanceKm,
            Cancelled = assignment.Cancelled ? 1L : 0L,
            Json = JsonSerializer.Serialize(assignment, ContractJson.Options),
            Request = request,
            MadeFor = madeFor?.Key,
            Attempt = madeFor?.Attempt ?? 0L,
        };
}
