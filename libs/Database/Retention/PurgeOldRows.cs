using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Database.Retention;

/// <summary>Rows that a service need not keep for ever.</summary>
/// <param name="Name">For the log, for example <c>assignments</c>.</param>
/// <param name="Delete">Deletes at most <c>@most</c> rows from before <c>@before</c> (Unix time in ms).</param>
public sealed record OldRows(string Name, string Delete);

public static class RetentionSetup
{
    /// <summary>Deletes old rows while the service runs, as section <c>Retention</c> says.</summary>
    public static void AddRetention(this IServiceCollection services, params OldRows[] rows)
    {
        services.AddValidatedOptions<RetentionOptions>(RetentionOptions.Section);
        services.AddHostedService(provider => ActivatorUtilities.CreateInstance<PurgeOldRows>(provider, [rows]));
    }
}

/// <summary>Deletes old rows, some at a time, so that nobody waits long for it.</summary>
internal sealed partial class PurgeOldRows(
    OldRows[] rows, SqlDatabase database, IOptions<RetentionOptions> options, TimeProvider time, ILogger<PurgeOldRows> logger)
    : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var timer = new PeriodicTimer(options.Value.Interval, time);
        try
        {
            while (await timer.WaitForNextTickAsync(stoppingToken))
            {
                foreach (var old in rows)
                    await TryPurgeAsync(old, stoppingToken);
            }
        }
        catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
        {
            // The service ends.
        }
    }

    private async Task TryPurgeAsync(OldRows old, CancellationToken stoppingToken)
    {
        try
        {
            await PurgeAsync(old, stoppingToken);
        }
        catch (Exception failure) when (!stoppingToken.IsCancellationRequested)
        {
            // Whatever it is, the service works without it, and the next round tries again.
            Log.Failed(logger, old.Name, options.Value.Interval, failure);
        }
    }

    private async Task PurgeAsync(OldRows old, CancellationToken stoppingToken)
    {
        var before = time.GetUtcNow() - options.Value.Period;
        var parameters = new { before = before.ToUnixTimeMilliseconds(), most = options.Value.BatchSize };
        int purged, all = 0;
        do
        {
            purged = await database.ExecuteAsync(old.Delete, parameters, stoppingToken);
            all += purged;
        }
        while (purged == options.Value.BatchSize);
        if (all > 0)
            Log.Purged(logger, all, old.Name, before);
    }

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Information, Message = "{Count} {Rows} from before {Before} are deleted.")]
        public static partial void Purged(ILogger logger, int count, string rows, DateTimeOffset before);

        [LoggerMessage(Level = LogLevel.Warning, Message = "Old {Rows} stay for now; the next try is in {Interval}.")]
        public static partial void Failed(ILogger logger, string rows, TimeSpan interval, Exception failure);
    }
}
