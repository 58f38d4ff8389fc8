using Microsoft.Extensions.Options;

namespace DroneDelivery.Database.Retention;

/// <summary>Deletes old rows periodically, in batches so that other writers don't wait long.</summary>
internal sealed partial class PurgeOldRows(
    OldRows[] rows,
    SqlDatabase database,
    IOptions<RetentionOptions> options,
    TimeProvider time,
    ILogger<PurgeOldRows> logger
) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var timer = new PeriodicTimer(options.Value.Interval, time);
        await using var end = stoppingToken.Register(timer.Dispose); // ends the loop without an exception
        while (await timer.WaitForNextTickAsync(CancellationToken.None))
        {
            foreach (var old in rows)
                await PurgeAsync(old, time.GetUtcNow() - options.Value.Period, stoppingToken);
        }
    }

    private async Task PurgeAsync(OldRows old, DateTimeOffset before, CancellationToken stoppingToken)
    {
        var parameters = new { before = before.ToUnixTimeMilliseconds(), most = options.Value.BatchSize };
        var (purged, all) = (0, 0);
        try
        {
            do
            {
                all += purged = await database.ExecuteAsync(old.Delete, parameters, stoppingToken);
            } while (purged == options.Value.BatchSize);
        }
        catch (Exception failure) when (!stoppingToken.IsCancellationRequested)
        {
            // The service works without purging, and the next interval retries.
            Failed(logger, old.Name, options.Value.Interval, failure);
        }
        if (all > 0)
            Purged(logger, all, old.Name, before);
    }

    [LoggerMessage(Level = LogLevel.Information, Message = "Deleted {Count} {Rows} from before {Before}.")]
    private static partial void Purged(ILogger logger, int count, string rows, DateTimeOffset before);

    [LoggerMessage(Level = LogLevel.Warning, Message = "Could not purge old {Rows}; retrying in {Interval}.")]
    private static partial void Failed(ILogger logger, string rows, TimeSpan interval, Exception failure);
}
