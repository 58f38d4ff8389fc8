using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Writing;

/// <summary>Puts each hit into a queue. Promises that the broker has it; <see cref="StoreFromQueue"/> stores it, here or in another
/// replica.</summary>
internal sealed class QueueHits(
    ServiceBusClient client,
    IOptions<TrackingOptions> options,
    IOptions<ServiceBusOptions> broker,
    HitCounters counters,
    TimeProvider time,
    ILogger<QueueHits> logger) : IHitWriter, IAsyncDisposable
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(5);

    private readonly ServiceBusSender _sender = client.CreateSender(options.Value.QueueName);
    private readonly Outage _outage = new("Service Bus", logger);

    /// <summary>One try may use the whole time: a broker that is slow needs no second try, one that is away refuses at once.</summary>
    public static void Configure(ServiceBusOptions options, ServiceBusClientOptions client) =>
        client.RetryOptions.TryTimeout = options.SendTimeout;

    public async Task WriteAsync(Hit hit)
    {
        var message = new ServiceBusMessage(BinaryData.FromObjectAsJson(hit)) { MessageId = hit.RowKey };
        using var patience = new CancellationTokenSource(broker.Value.SendTimeout, time);
        try
        {
            await _sender.SendMessageAsync(message, patience.Token);
        }
        catch (Exception exception) when (exception is ServiceBusException or UnauthorizedAccessException or OperationCanceledException)
        {
            throw NotAcknowledged(exception);
        }
        _outage.Succeeded();
        counters.Answered();
    }

    /// <summary>Connects, without sending anything.</summary>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        // Its size limit is the broker's, so making a batch needs the link.
        using var batch = await _sender.CreateMessageBatchAsync(cancellationToken);
    }

    public ValueTask DisposeAsync() => _sender.DisposeAsync();

    private DependencyUnavailableException NotAcknowledged(Exception exception)
    {
        var cause = exception is ServiceBusException failure ? failure.Reason.ToString() : exception.GetType().Name;
        _outage.Failed($"No acknowledgement within {broker.Value.SendTimeout} ({cause}).");
        return new(
            "urn:drone-delivery:queue-unavailable",
            "The queue is not available",
            "The broker did not acknowledge the hit.",
            RetryAfter,
            exception);
    }
}
