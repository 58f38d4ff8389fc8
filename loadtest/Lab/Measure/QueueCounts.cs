using Azure;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Measure;

/// <param name="Queue">What is not told is zero.</param>
internal sealed record QueueReading(DateTimeOffset Time, QueueCounters Queue);

/// <summary>Where the numbers of the queue come from.</summary>
internal interface IQueueCounts
{
    /// <summary>What of the queue it can say.</summary>
    Sources Told { get; }

    /// <summary>How often it may be asked.</summary>
    TimeSpan Period { get; }

    /// <exception cref="HttpRequestException">No answer.</exception>
    Task<QueueReading> ReadAsync(CancellationToken cancellationToken);
}

/// <summary>The local broker's own counters.</summary>
/// <param name="clock">That of the readings; null: the broker's own, for one that runs on this machine.</param>
internal sealed class BrokerCounts(HttpClient http, Uri broker, TimeProvider? clock = null) : IQueueCounts
{
    public Sources Told => Sources.Stocks | Sources.Rates | Sources.Deliveries;

    public TimeSpan Period { get; } = TimeSpan.FromMilliseconds(250);

    /// <returns>Null: nobody answers there, or not as the local broker does.</returns>
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
/// The runtime counts of the management API, which every Service Bus has. They are stocks. What came in is what the load driver saw
/// accepted; what came in and is neither waiting nor dead was completed, if nobody else uses the queue. A dead letter that the supervisor
/// has moved to the queue of failed requests still counts as dead.
/// </summary>
/// <param name="accepted">Requests accepted so far; null while the driver does not say.</param>
internal sealed class RuntimeCounts(ServiceBusAdministrationClient queues, Func<long?> accepted, TimeProvider clock)
    : IQueueCounts
{
    private QueueCounters? _first;

    public Sources Told => accepted() is null ? Sources.Stocks : Sources.Stocks | Sources.Rates;

    // The management API of a namespace is meant for administration, and throttles.
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
