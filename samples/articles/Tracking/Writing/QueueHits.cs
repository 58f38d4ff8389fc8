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
    ILogger<QueueHits> logger
) : IHitWriter
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(5);

    private readonly AcknowledgedSender _sender = new(
        client,
        options.Value.QueueName,
        broker.Value.SendTimeout,
        time,
        logger
    );

    public async Task WriteAsync(Hit hit)
    {
        var message = new ServiceBusMessage(BinaryData.FromObjectAsJson(hit)) { MessageId = hit.RowKey };
        if (await _sender.TrySendAsync(message) is { } failure)
        {
            throw new DependencyUnavailableException(
                "urn:drone-delivery:queue-unavailable",
                "The queue is not available",
                "The broker did not acknowledge the hit.",
                RetryAfter,
                failure
            );
        }
        counters.Answered();
    }

    public Task OpenAsync(CancellationToken cancellationToken) => _sender.OpenAsync(cancellationToken);
}
