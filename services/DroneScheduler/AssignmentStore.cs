using System.Data.Common;
using System.Text.Json;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.DroneScheduler.Fleet;

namespace DroneDelivery.DroneScheduler;

/// <summary>Which drone flies which delivery. The primary key gives a delivery one drone, however many replicas assign at once.</summary>
internal sealed class AssignmentStore(SqlDatabase database, FleetStore fleet, TimeProvider time)
{
    /// <summary>Of flights that landed before a time, the oldest first.</summary>
    public const string Purge = """
        delete from assignments where delivery_id in (
            select delivery_id from assignments where landing < @before order by landing limit @most)
        """;

    private const double MilesPerKm = 0.621371;
    private const double MillisecondsPerHour = 3_600_000;

    /// <summary>One change at a time, over all replicas: an assignment and the free time of its drone change together.</summary>
    public async Task<T> ChangeAsync<T>(Func<AssignmentChange, Task<T>> change, CancellationToken cancellationToken)
    {
        var drones = await fleet.GetAsync(cancellationToken);
        return await database.ExclusiveAsync(
            connection => change(new AssignmentChange(connection, drones, time.GetUtcNow())),
            cancellationToken
        );
    }

    public Task<StoredAssignment?> FindAsync(string deliveryId, CancellationToken cancellationToken) =>
        database.FindAsync<StoredAssignment>(AssignmentChange.Find, new { deliveryId }, cancellationToken);

    /// <summary>Flights that take off in the month (UTC) and are not cancelled, as far as they are kept (<c>Retention</c>).</summary>
    public async Task<DroneUtilization> GetUtilizationAsync(
        string ownerId,
        int year,
        int month,
        CancellationToken cancellationToken
    )
    {
        var from = new DateTimeOffset(year, month, 1, 0, 0, 0, TimeSpan.Zero);
        var (kilometers, milliseconds) = await database.SingleAsync<(double, double)>(
            """
            select coalesce(sum(distance_km), 0.0), coalesce(sum(cast(landing - take_off as double precision)), 0.0) from assignments
            where owner_id = @ownerId and take_off >= @from and take_off < @to and cancelled = 0
            """,
            new
            {
                ownerId,
                from = from.ToUnixTimeMilliseconds(),
                to = from.AddMonths(1).ToUnixTimeMilliseconds(),
            },
            cancellationToken
        );
        return new DroneUtilization
        {
            TraveledMiles = kilometers * MilesPerKm,
            AssignedHours = milliseconds / MillisecondsPerHour,
        };
    }
}

/// <summary>One change of assignments and of what they take of the drones' time. No other one runs at the same time.</summary>
internal sealed class AssignmentChange(DbConnection connection, IReadOnlyList<Drone> fleet, DateTimeOffset now)
{
    public const string Find = """
        select assignment as Json, request as Request, made_for as MadeFor, attempt as Attempt from assignments
        where delivery_id = @deliveryId
        """;

    /// <summary>Of requests that failed before a time. It is asked twice: one that fails anew meanwhile stays (PostgreSQL).</summary>
    public const string PurgeFailed = """
        delete from failed_drone_requests where failed_at < @before and request in (
            select request from failed_drone_requests where failed_at < @before limit @most)
        """;

    public IReadOnlyList<Drone> Fleet => fleet;

    public FreeTimes FreeTimes { get; } = new(connection, now);

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

    /// <summary>This attempt of the request, and each before it, is refused from now on.</summary>
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

    /// <returns>What the steps return. Null undoes what they changed.</returns>
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

/// <summary>A delivery request that needs a drone.</summary>
/// <param name="Key">The same for all attempts of one request, and for no other request.</param>
/// <param name="Attempt">How often the request has been sent again.</param>
internal sealed record AssignmentRequest(string Key, int Attempt);

/// <summary>
/// What the table holds: the assignment as JSON, the fingerprint of the PUT that made it, and the delivery request that it is made for
/// (null: the PUT did not say).
/// </summary>
internal sealed record StoredAssignment(string Json, string Request, string? MadeFor, long Attempt)
{
    public DroneAssignment Assignment { get; } =
        JsonSerializer.Deserialize<DroneAssignment>(Json, ContractJson.Options)!;

    public bool IsMadeBy(AssignmentRequest request) => MadeFor == request.Key && Attempt <= request.Attempt;

    /// <summary>False: another delivery request has asked for it.</summary>
    public bool MayBeFor(AssignmentRequest? request) => MadeFor is null || request is null || MadeFor == request.Key;
}
