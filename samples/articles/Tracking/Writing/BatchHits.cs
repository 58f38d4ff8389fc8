using System.Threading.Channels;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.Tracking.Tables;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Writing;

/// <summary>
/// Keeps hits in memory for a moment, then stores all of them, each partition by as few requests as there can be. Promises that a hit is
/// stored later, unless the process is killed: that loses what waits, at most <c>Tracking:Capacity</c> hits. SIGTERM loses none, as long as
/// the table server takes them before the host's time to shut down ends. When there is no room a hit waits for it, and is refused after
/// <c>Tracking:RoomTimeout</c>.
/// </summary>
internal sealed partial class BatchHits(
    IOptions<TrackingOptions> options,
    StoreBatch store,
    HitCounters counters,
    TimeProvider time,
    ILogger<BatchHits> logger
) : BackgroundService, IHitWriter
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly Channel<Hit> _hits = Channel.CreateUnbounded<Hit>(); // bounded by the room
    private readonly SemaphoreSlim _room = new(options.Value.Capacity);
    private readonly CancellationTokenSource _giveUp = new();

    public async Task WriteAsync(Hit hit)
    {
        if (!await _room.WaitAsync(options.Value.RoomTimeout))
            throw NoRoom();
        counters.Waiting(1);
        counters.Answered();
        _hits.Writer.TryWrite(hit);
    }

    /// <summary>The server has stopped by now, so no hit comes any more; those that wait are stored.</summary>
    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        _hits.Writer.Complete();
        await using var outOfTime = cancellationToken.Register(_giveUp.Cancel);
        await base.StopAsync(CancellationToken.None);
        if (counters.Read().Waiting is > 0 and var lost)
        {
            counters.Lost((int)lost);
            counters.Waiting(-(int)lost);
            Log.OutOfTime(logger, lost);
        }
    }

    public override void Dispose()
    {
        _giveUp.Dispose();
        _room.Dispose();
        base.Dispose();
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        try
        {
            while (await _hits.Reader.WaitToReadAsync(_giveUp.Token))
            {
                // Others of their partitions may come. Under load enough have come while the last were stored.
                if (_hits.Reader.Count < options.Value.BatchSize)
                {
                    await Task.Delay(options.Value.FlushInterval, time, stoppingToken)
                        .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                }
                await StoreAllAsync();
            }
        }
        catch (OperationCanceledException) when (_giveUp.IsCancellationRequested)
        {
            // What is left is counted by whoever stops.
        }
    }

    private async Task StoreAllAsync()
    {
        var hits = new List<Hit>();
        while (_hits.Reader.TryRead(out var hit))
            hits.Add(hit);
        await Parallel.ForEachAsync(
            Hit.Batches(hits, options.Value.BatchSize),
            new ParallelOptions { MaxDegreeOfParallelism = options.Value.Senders, CancellationToken = _giveUp.Token },
            StoreAsync
        );
    }

    private async ValueTask StoreAsync(Hit[] hits, CancellationToken cancellationToken)
    {
        var refused = await store.RunAsync(hits, cancellationToken);
        foreach (var (hit, reason) in refused)
            Log.Refused(logger, hit.Table, reason);
        counters.Lost(refused.Count);
        counters.Stored(hits.Length - refused.Count);
        counters.Waiting(-hits.Length);
        _room.Release(hits.Length);
    }

    private static DependencyUnavailableException NoRoom() =>
        new(
            "urn:drone-delivery:hits-waiting",
            "Too many hits wait",
            "More hits wait to be stored than this replica may keep.",
            RetryAfter
        );

    private static partial class Log
    {
        [LoggerMessage(
            Level = LogLevel.Error,
            Message = "{Hits} hits are lost: the table server did not take them before the time was up."
        )]
        public static partial void OutOfTime(ILogger logger, long hits);

        [LoggerMessage(
            Level = LogLevel.Error,
            Message = "A hit of table {Table} is lost, the table server refuses it: {Reason}"
        )]
        public static partial void Refused(ILogger logger, string table, string reason);
    }
}
