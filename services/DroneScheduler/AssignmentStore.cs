using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.DroneScheduler.Fleet;

namespace DroneDelivery.DroneScheduler;

internal sealed class AssignmentStore(SqlDatabase database, FleetStore fleet, TimeProvider time)
{
    public const string Purge = """
        delete from assignments where delivery_id in (
            select delivery_id from assignments where landing < @before order by landing limit @most)
        """;

    private const double MilesPerKm = 0.621371;
    private const double MillisecondsPerHour = 3_600_000;

    /// <summary>Changes an assignment and the free times of its drone in one transaction, serialized by delivery.</summary>
    public async Task<T> ChangeAsync<T>(
        string deliveryId,
        Func<AssignmentChange, Task<T>> change,
        CancellationToken cancellationToken
    )
    {
        var drones = await fleet.GetAsync(cancellationToken);
        return await database.TransactionAsync(
            deliveryId,
            connection => change(new AssignmentChange(connection, database.IsSerial, drones, time.GetUtcNow())),
            cancellationToken
        );
    }

    public async Task<StoredAssignment?> FindAsync(string deliveryId, CancellationToken cancellationToken)
    {
        var rows = await database.QueryAsync<StoredAssignment>(
            AssignmentChange.Find,
            new { deliveryId },
            cancellationToken
        );
        return rows.SingleOrDefault();
    }

    /// <summary>Sums up flights that take off in a month (UTC), without cancelled and purged ones.</summary>
    public async Task<DroneUtilization> GetUtilizationAsync(
        string ownerId,
        int year,
        int month,
        CancellationToken cancellationToken
    )
    {
        var from = new DateTimeOffset(year, month, 1, 0, 0, 0, TimeSpan.Zero);
        var sums = await database.QueryAsync<(double, double)>(
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
        var (kilometers, milliseconds) = sums.Single();
        return new DroneUtilization
        {
            TraveledMiles = kilometers * MilesPerKm,
            AssignedHours = milliseconds / MillisecondsPerHour,
        };
    }
}
