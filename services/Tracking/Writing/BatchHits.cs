using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Writing;

/// <summary>
/// Keeps hits in memory until there are enough of a partition for one request. Promises that a hit is stored later, unless the process is
/// killed: that loses what waits, at most <c>Tracking:Capacity</c> hits. SIGTERM loses none, as long as the table server takes them before
/// the host's time to shut down ends. When there is no room a hit waits for it, and is refused after <c>Tracking:RoomTimeout</c>.
/// </summary>
internal sealed partial class BatchHits : IHitWriter, IHitOutcome, IHostedService, IDisposable
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly TrackingOptions _options;
    private readonly StoreBatch _store;
    private readonly HitCounters _counters;
    private readonly ILogger _logger;
    private readonly Partitions _partitions;
    private readonly SemaphoreSlim _room;
    private readonly ITimer _clock;
    private readonly CancellationTokenSource _giveUp = new();
    private Task _senders = Task.CompletedTask;

    public BatchHits(
        IOptions<TrackingOptions> options, StoreBatch store, HitCounters counters, TimeProvider time, ILogger<BatchHits> logger)
    {
        _options = options.Value;
        _store = store;
        _counters = counters;
        _logger = logger;
        _partitions = new(_options.BatchSize, _options.FlushInterval, time);
        _room = new(_options.Capacity);
        _clock = time.CreateTimer(_ => _partitions.LookAtClock(), null, _options.FlushInterval / 2, _options.FlushInterval / 2);
    }

    public async Task WriteAsync(Hit hit)
    {
        if (!await _room.WaitAsync(_options.RoomTimeout))
            throw NoRoom();
        _counters.Waiting(1);
        _counters.Answered();
        _partitions.Add(hit);
    }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _senders = Task.WhenAll(Enumerable.Range(0, _options.Senders).Select(_ => SendAsync()));
        return Task.CompletedTask;
    }

    /// <summary>The server has stopped by now, so no hit comes any more; those that wait are stored.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        _partitions.Complete();
        await using var outOfTime = cancellationToken.Register(_giveUp.Cancel);
        await _senders;
        if (_counters.Read().Waiting is > 0 and var lost)
        {
            _counters.Lost((int)lost);
            _counters.Waiting(-(int)lost);
            Log.OutOfTime(_logger, lost);
        }
    }

    public Task StoredAsync(IReadOnlyList<Hit> hits)
    {
        _counters.Stored(hits.Count);
        Leave(hits.Count);
        return Task.CompletedTask;
    }

    public Task RefusedAsync(Hit hit, string reason)
    {
        _counters.Lost(1);
        Leave(1);
        Log.Refused(_logger, hit.Table, reason);
        return Task.CompletedTask;
    }

    public void Dispose()
    {
        _clock.Dispose();
        _giveUp.Dispose();
        _room.Dispose();
    }

    private async Task SendAsync()
    {
        try
        {
            while (await _partitions.TakeAsync(_giveUp.Token) is { } hits)
                await _store.RunAsync(hits, this, _giveUp.Token);
        }
        catch (OperationCanceledException) when (_giveUp.IsCancellationRequested)
        {
            // What is left is counted by whoever stops.
        }
    }

    private void Leave(int hits)
    {
        _counters.Waiting(-hits);
        _room.Release(hits);
    }

    private static DependencyUnavailableException NoRoom() => new(
        "urn:drone-delivery:hits-waiting", "Too many hits wait", "More hits wait to be stored than this replica may keep.", RetryAfter);

    private static partial class Log
    {
        [LoggerMessage(
            Level = LogLevel.Error,
            Message = "{Hits} hits are lost: the table server did not take them before the time was up.")]
        public static partial void OutOfTime(ILogger logger, long hits);

        [LoggerMessage(Level = LogLevel.Error, Message = "A hit of table {Table} is lost, the table server refuses it: {Reason}")]
        public static partial void Refused(ILogger logger, string table, string reason);
    }
}
