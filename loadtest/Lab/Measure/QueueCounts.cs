using Azure;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Measure;

/// <param name="Queue">Unknown counters are zero.</param>
internal sealed record QueueReading(DateTimeOffset Time, QueueCounters Queue);

internal interface IQueueCounts
{
    Sources Told { get; }

    /// <summary>The shortest polling interval.</summary>
    TimeSpan Period { get; }

    Task<QueueReading> ReadAsync(CancellationToken cancellationToken);
}

/// <summary>The local broker's own counters.</summary>
internal sealed class BrokerCounts(HttpClient http, Uri broker, TimeProvider? clock = null) : IQueueCounts
{
    public Sources Told => Sources.Stocks | Sources.Rates | Sources.Deliveries;

    public TimeSpan Period { get; } = TimeSpan.FromMilliseconds(250);

    /// <returns><c>null</c> if no local broker responds at the address.</returns>
    public static async Task<BrokerCounts?> FindAsync(
        HttpClient http,
        Uri? broker,
        TimeProvider clock,
        CancellationToken cancellationToken
    )
    {
        try
        {
            if (broker is null)
                return null;
            await BrokerCounters.ReadAsync(http, broker, cancellationToken);
            return new(http, broker, clock);
        }
        catch (Exception exception) when (exception is HttpRequestException or System.Text.Json.JsonException)
        {
            return null;
        }
    }

    public async Task<QueueReading> ReadAsync(CancellationToken cancellationToken)
    {
        var counters = await BrokerCounters.ReadAsync(http, broker, cancellationToken);
        return new(clock?.GetUtcNow() ?? counters.Time, counters.Queue);
    }
}

/// <summary>
/// The runtime counts of the management API, which every Service Bus provides: lengths without totals. Accepted requests that are neither
/// active nor dead-lettered were completed, if the queue has no other users. Dead letters in the failed queue still count.
/// </summary>
/// <param name="accepted">Returns <c>null</c> if the driver doesn't know yet.</param>
internal sealed class RuntimeCounts(ServiceBusAdministrationClient queues, Func<long?> accepted, TimeProvider clock)
    : IQueueCounts
{
    private QueueCounters? _first;

    public Sources Told => accepted() is null ? Sources.Stocks : Sources.Stocks | Sources.Rates;

    // The management API of a namespace throttles.
    public TimeSpan Period { get; } = TimeSpan.FromSeconds(1);

    public async Task<QueueReading> ReadAsync(CancellationToken cancellationToken)
    {
        var stocks = await StocksAsync(cancellationToken);
        var first = _first ??= stocks;
        var incoming = accepted() ?? 0;
        return new(
            clock.GetUtcNow(),
            stocks with
            {
                Incoming = incoming,
                Completed = Math.Max(0, first.Known + incoming - stocks.Known),
                DeadLettered = stocks.DeadLetter - first.DeadLetter,
            }
        );
    }

    private async Task<long> FailedAsync(CancellationToken cancellationToken)
    {
        try
        {
            return (await queues.GetQueueRuntimePropertiesAsync(BrokerCounters.FailedQueueName, cancellationToken))
                .Value
                .TotalMessageCount;
        }
        catch (ServiceBusException exception) when (exception.Reason == ServiceBusFailureReason.MessagingEntityNotFound)
        {
            return 0; // a target without a supervisor
        }
    }

    private async Task<QueueCounters> StocksAsync(CancellationToken cancellationToken)
    {
        try
        {
            var queue = (
                await queues.GetQueueRuntimePropertiesAsync(BrokerCounters.QueueName, cancellationToken)
            ).Value;
            return QueueCounters.Zero with
            {
                Active = queue.ActiveMessageCount,
                Scheduled = queue.ScheduledMessageCount,
                DeadLetter = queue.DeadLetterMessageCount + await FailedAsync(cancellationToken),
            };
        }
        catch (Exception exception)
            when (exception
                    is ServiceBusException
                        or UnauthorizedAccessException
                        or RequestFailedException
                        or AggregateException
            )
        {
            throw new HttpRequestException(exception.Message, exception);
        }
    }
}
