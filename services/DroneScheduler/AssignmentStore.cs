using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.DroneScheduler;

/// <summary>Which drone flies which delivery. The primary key gives a delivery one drone, however many replicas assign at once.</summary>
internal sealed class AssignmentStore(SqlDatabase database, TimeProvider time)
{
    /// <summary>Of flights that landed before a time, the oldest first.</summary>
    public const string Purge = """
        delete from assignments where delivery_id in (
            select delivery_id from assignments where landing < @before order by landing limit @most)
        """;

    private const double MilesPerKm = 0.621371;
    private const double MillisecondsPerHour = 3_600_000;

    /// <summary>One change at a time, over all replicas: an assignment and the free time of its drone change together.</summary>
    public Task<T> ChangeAsync<T>(Func<AssignmentChange, Task<T>> change, CancellationToken cancellationToken) =>
        database.ExclusiveAsync(session => change(new AssignmentChange(session, time.GetUtcNow())), cancellationToken);

    public async Task<StoredAssignment?> FindAsync(string deliveryId, CancellationToken cancellationToken) =>
        await database.FindAsync<StoredAssignment>(
            AssignmentChange.Find, new { deliveryId }, cancellationToken);

    /// <summary>Flights that take off in the month (UTC) and are not cancelled, as far as they are kept (<c>Retention</c>).</summary>
    public async Task<DroneUtilization> GetUtilizationAsync(string ownerId, int year, int month, CancellationToken cancellationToken)
    {
        var from = new DateTimeOffset(year, month, 1, 0, 0, 0, TimeSpan.Zero);
        var (kilometres, milliseconds) = await database.SingleAsync<(double, double)>("""
            select coalesce(sum(distance_km), 0.0), coalesce(sum(cast(landing - take_off as double precision)), 0.0) from assignments
            where owner_id = @ownerId and take_off >= @from and take_off < @to and cancelled = 0
            """, new { ownerId, from = from.ToUnixTimeMilliseconds(), to = from.AddMonths(1).ToUnixTimeMilliseconds() }, cancellationToken);
        return new DroneUtilization { TraveledMiles = kilometres * MilesPerKm, AssignedHours = milliseconds / MillisecondsPerHour };
    }
}

/// <summary>A delivery request that needs a drone.</summary>
/// <param name="Key">The same for all attempts of one request, and for no other request.</param>
/// <param name="Attempt">How often the request has been sent again.</param>
internal sealed record AssignmentRequest(string Key, int Attempt);

/// <summary>
/// What the table holds: the assignment as JSON, the fingerprint of the PUT that made it, and the delivery request that it is made for
/// (null: an older Workflow did not say).
/// </summary>
internal sealed record StoredAssignment(string Json, string Request, string? MadeFor, long Attempt)
{
    public DroneAssignment Assignment { get; } = JsonSerializer.Deserialize<DroneAssignment>(Json, ContractJson.Options)!;

    public bool IsMadeBy(AssignmentRequest request) => MadeFor == request.Key && Attempt <= request.Attempt;

    /// <summary>False: another delivery request has asked for it.</summary>
    public bool MayBeFor(AssignmentRequest? request) => MadeFor is null || request is null || MadeFor == request.Key;
}
