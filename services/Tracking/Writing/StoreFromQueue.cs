using Azure.Messaging.ServiceBus;
using DroneDelivery.Tracking.Tables;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Writing;

/// <summary>
/// Empties the queue into the table: takes what is there, stores it by partitions and completes what is stored. What is not completed when
/// the process ends comes again, and is the same entity.
/// </summary>
internal sealed partial class StoreFromQueue(
    ServiceBusClient client,
    IOptions<TrackingOptions> options,
    ITableServer server,
    StoreBatch store,
    HitCounters counters,
    TimeProvider time,
    ILogger<StoreFromQueue> logger) : BackgroundService
{
    /// <summary>Taken at a time: some batches of several partitions.</summary>
    private const int MostMessages = 1_000;

    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    /// <summary>A round that was begun may go on for so long when the service is asked to stop. The rest stays in the queue.</summary>
    private static readonly TimeSpan TimeToStop = TimeSpan.FromSeconds(5);

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        // Nothing is prefetched: its locks would end while the table server is away, and use up the messages' deliveries.
        await using var receiver = client.CreateReceiver(options.Value.QueueName);
        while (!stoppingToken.IsCancellationRequested)
        {
            try
            {
                await StoreSomeAsync(receiver, stoppingToken);
            }
            catch (Exception failure) // whatever it is: the hits are still in the queue
            {
                if (!stoppingToken.IsCancellationRequested)
                    await WaitAsync(failure, stoppingToken);
            }
        }
    }

    private async Task StoreSomeAsync(ServiceBusReceiver receiver, CancellationToken stoppingToken)
    {
        var messages = await receiver.ReceiveMessagesAsync(MostMessages, cancellationToken: stoppingToken);
        if (messages.Count == 0)
            return;
        // At least for one request: the broker's clock may be another, and a hit that is stored twice is the same entity.
        var locked = messages.Min(message => message.LockedUntil) - time.GetUtcNow();
        using var outOfTime = new CancellationTokenSource(
            locked > options.Value.OperationTimeout ? locked : options.Value.OperationTimeout, time);
        await using var stop = stoppingToken.Register(() => outOfTime.CancelAfter(TimeToStop));
        var round = new QueueRound(receiver, counters, logger);
        var hits = await round.ReadAsync(messages);
        await Parallel.ForEachAsync(
            BatchesOf(hits),
            new ParallelOptions { MaxDegreeOfParallelism = options.Value.Senders, CancellationToken = outOfTime.Token },
            async (batch, token) => await store.RunAsync(batch, round, token));
    }

    private IEnumerable<Hit[]> BatchesOf(IEnumerable<Hit> hits) =>
        from hit in hits
        group hit by (hit.Table, hit.PartitionKey) into partition
        from batch in partition.Chunk(options.Value.BatchSize)
        select batch;

    /// <summary>Waits until the table server answers: receiving earlier would use up the messages' delivery counts.</summary>
    private async Task WaitAsync(Exception failure, CancellationToken stoppingToken)
    {
        Log.Waiting(logger, failure.Message);
        for (var isThere = false; !isThere && !stoppingToken.IsCancellationRequested;)
        {
            await Task.Delay(Pause, time, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                await server.AskAsync(stoppingToken);
                isThere = true;
            }
            catch (Exception exception) when (exception is TableServerException or OperationCanceledException)
            {
                // The next turn asks again.
            }
        }
    }

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "Hits stay in the queue for now: {Failure}")]
        public static partial void Waiting(ILogger logger, string failure);
    }
}
