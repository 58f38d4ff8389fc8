using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.ServiceDefaults.Errors;
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
    HitTables tables,
    StoreBatch store,
    HitCounters counters,
    TimeProvider time,
    ILogger<StoreFromQueue> logger
) : BackgroundService
{
    /// <summary>Taken at a time: some batches of several partitions.</summary>
    private const int MostMessages = 1_000;

    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    /// <summary>A round that was begun may go on for so long when the service is asked to stop. The rest stays in the queue.</summary>
    private static readonly TimeSpan TimeToStop = TimeSpan.FromSeconds(5);

    // Nothing is prefetched: its locks would end while the table server is away, and use up the messages' deliveries.
    private readonly ServiceBusReceiver _receiver = client.CreateReceiver(options.Value.QueueName);

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        while (!stoppingToken.IsCancellationRequested)
        {
            try
            {
                // Receiving while it is away would use up the messages' delivery counts.
                await tables.AskAsync(stoppingToken);
                await StoreSomeAsync(stoppingToken);
            }
            catch (Exception failure) // whatever it is: the hits are still in the queue
            {
                if (failure is not (DependencyUnavailableException or OperationCanceledException))
                    Log.Waiting(logger, failure.Message);
                await Task.Delay(Pause, time, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        await _receiver.DisposeAsync();
    }

    private async Task StoreSomeAsync(CancellationToken stoppingToken)
    {
        var messages = await _receiver.ReceiveMessagesAsync(MostMessages, cancellationToken: stoppingToken);
        if (messages.Count == 0)
            return;
        // At least for one request: the broker's clock may be another, and a hit that is stored twice is the same entity.
        var locked = messages.Min(message => message.LockedUntil) - time.GetUtcNow();
        using var outOfTime = new CancellationTokenSource(
            locked > options.Value.OperationTimeout ? locked : options.Value.OperationTimeout,
            time
        );
        await using var stop = stoppingToken.Register(() => outOfTime.CancelAfter(TimeToStop));
        var hits = await ReadAsync(messages);
        await Parallel.ForEachAsync(
            Hit.Batches(hits, received => received.Hit, options.Value.BatchSize),
            new ParallelOptions { MaxDegreeOfParallelism = options.Value.Senders, CancellationToken = outOfTime.Token },
            StoreAsync
        );
    }

    /// <returns>The hits; what this service would not have sent is dead-lettered: some servers answer it with 500 for ever.</returns>
    private async Task<List<Received>> ReadAsync(IReadOnlyList<ServiceBusReceivedMessage> messages)
    {
        var hits = new List<Received>();
        foreach (var message in messages)
        {
            if (HitIn(message) is { } hit)
            {
                hits.Add(new(hit, message));
            }
            else
            {
                await SettleAsync(
                    message,
                    _receiver.DeadLetterMessageAsync(message, "Unreadable", "The body is no hit.")
                );
            }
        }
        return hits;
    }

    private async ValueTask StoreAsync(Received[] batch, CancellationToken cancellationToken)
    {
        var refused = await store.RunAsync([.. batch.Select(received => received.Hit)], cancellationToken);
        var lost = batch.Where(received => refused.ContainsKey(received.Hit)).ToList();
        counters.Stored(batch.Length - lost.Count);
        counters.Lost(lost.Count);
        await Task.WhenAll(
            batch.Select(received =>
                SettleAsync(
                    received.Message,
                    refused.TryGetValue(received.Hit, out var reason)
                        ? _receiver.DeadLetterMessageAsync(
                            received.Message,
                            "TableRefuses",
                            reason,
                            CancellationToken.None
                        )
                        : _receiver.CompleteMessageAsync(received.Message, CancellationToken.None)
                )
            )
        );
    }

    private static Hit? HitIn(ServiceBusReceivedMessage message)
    {
        try
        {
            return message.Body.ToObjectFromJson<Hit>() is { IsValid: true } hit ? hit : null;
        }
        catch (Exception exception) when (exception is JsonException or NotSupportedException)
        {
            return null;
        }
    }

    private async Task SettleAsync(ServiceBusReceivedMessage message, Task settlement)
    {
        try
        {
            await settlement;
        }
        catch (Exception failure) // whatever it is: the lock ends, and the message is delivered again
        {
            Log.NotSettled(logger, message.MessageId, failure.Message);
        }
    }

    private sealed record Received(Hit Hit, ServiceBusReceivedMessage Message);

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "Hits stay in the queue for now: {Failure}")]
        public static partial void Waiting(ILogger logger, string failure);

        [LoggerMessage(
            Level = LogLevel.Warning,
            Message = "Message {MessageId} was not settled and will be redelivered: {Failure}"
        )]
        public static partial void NotSettled(ILogger logger, string? messageId, string failure);
    }
}
