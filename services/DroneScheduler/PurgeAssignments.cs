using Microsoft.Extensions.Options;

namespace DroneDelivery.DroneScheduler;

/// <summary>Deletes the assignments of flights that landed long ago, some at a time, so that nobody waits long for it.</summary>
internal sealed partial class PurgeAssignments(
    AssignmentStore assignments, IOptions<RetentionOptions> options, TimeProvider time, ILogger<PurgeAssignments> logger)
    : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var timer = new PeriodicTimer(options.Value.Interval, time);
        try
        {
            while (await timer.WaitForNextTickAsync(stoppingToken))
                await TryPurgeAsync(stoppingToken);
        }
        catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
        {
            // The service ends.
        }
    }

    private async Task TryPurgeAsync(CancellationToken stoppingToken)
    {
        try
        {
            await PurgeAsync(stoppingToken);
        }
        catch (Exception failure) when (!stoppingToken.IsCancellationRequested)
        {
            // Whatever it is, drones are assigned without it, and the next round tries again.
            Log.Failed(logger, options.Value.Interval, failure);
        }
    }

    private async Task PurgeAsync(CancellationToken stoppingToken)
    {
        var before = time.GetUtcNow() - options.Value.Assignments;
        int purged, all = 0;
        do
        {
            purged = await assignments.PurgeAsync(before, options.Value.BatchSize, stoppingToken);
            all += purged;
        }
        while (purged == options.Value.BatchSize);
        if (all > 0)
            Log.Purged(logger, all, before);
    }

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Information, Message = "{Count} assignments of flights that landed before {Before} are deleted.")]
        public static partial void Purged(ILogger logger, int count, DateTimeOffset before);

        [LoggerMessage(Level = LogLevel.Warning, Message = "Old assignments stay for now; the next try is in {Interval}.")]
        public static partial void Failed(ILogger logger, TimeSpan interval, Exception failure);
    }
}
