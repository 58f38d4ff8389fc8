using System.Globalization;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Supervising;

/// <summary>Where failed requests wait for an operator, who may send them again.</summary>
internal sealed class FailedQueue(ServiceBusClient client, IOptions<ServiceBusOptions> options, TimeProvider time) : IAsyncDisposable
{
    private readonly ServiceBusSender _sender = client.CreateSender(options.Value.FailedQueueName);

    /// <summary>Returns when the broker has the copy.</summary>
    public Task AddAsync(ServiceBusReceivedMessage deadLetter, CancellationToken cancellationToken) =>
        AddAsync(deadLetter, deadLetter.DeadLetterReason ?? "", deadLetter.DeadLetterErrorDescription ?? "", cancellationToken);

    /// <inheritdoc cref="AddAsync(ServiceBusReceivedMessage,CancellationToken)"/>
    public Task AddAsync(ServiceBusReceivedMessage deadLetter, string reason, string description, CancellationToken cancellationToken)
    {
        var copy = new ServiceBusMessage(deadLetter)
        {
            ApplicationProperties =
            {
                ["deadLetterReason"] = reason,
                ["deadLetterDescription"] = description,
                ["failedAt"] = time.GetUtcNow().ToString("O", CultureInfo.InvariantCulture),
            },
        };
        HaveNoEnd(copy);
        copy.ApplicationProperties.Remove(DeadLetterSupervisor.FailuresProperty);
        copy.ApplicationProperties.Remove(DeadLetterSupervisor.RefusalsProperty);
        return _sender.SendMessageAsync(copy, cancellationToken);
    }

    /// <summary>Not what was left of its time in the other queue: an operator may come late. Without the fields the queue's own time
    /// counts. <c>TimeToLive</c> cannot say that, because the SDK sends 49.7 days for its largest value.</summary>
    private static void HaveNoEnd(ServiceBusMessage copy)
    {
        var raw = copy.GetRawAmqpMessage();
        (raw.Header.TimeToLive, raw.Properties.CreationTime, raw.Properties.AbsoluteExpiryTime) = (null, null, null);
    }

    public ValueTask DisposeAsync() => _sender.DisposeAsync();
}
