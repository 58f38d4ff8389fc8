using System.Threading.Channels;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.Tracking.Tables;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Writing;

/// <summary>
/// Buffers hits in memory, and stores each partition with as few requests as possible. Guarantees that a hit is stored later, unless the
/// process is killed, which loses up to <c>Tracking:Capacity</c> hits. On SIGTERM, all hits are stored within the host's shutdown timeout.
/// If the buffer is full, hits wait, and fail after <c>Tracking:RoomTimeout</c>.
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

    private readonly Channel<Hit> _hits = Channel.CreateUnbounded<Hit>(); // bounded by the buffer's capacity
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

    /// <summary>Stores the remaining hits after the server has stopped.</summary>
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
                // Waits for more hits of their partitions. Under load, there are enough already.
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
            // StopAsync counts the remaining hits.
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
            "Too many waiting hits",
            "This replica's buffer of hits is full.",
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
            Message = "Lost a hit of table {Table}, which the table server rejected: {Reason}"
        )]
        public static partial void Refused(ILogger logger, string table, string reason);
    }
}
