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
            // Not what was left of its time in the other queue: an operator may come late.
            TimeToLive = TimeSpan.MaxValue,
            ApplicationProperties =
            {
                ["deadLetterReason"] = reason,
                ["deadLetterDescription"] = description,
                ["failedAt"] = time.GetUtcNow().ToString("O", CultureInfo.InvariantCulture),
            },
        };
        copy.ApplicationProperties.Remove(DeadLetterSupervisor.FailuresProperty);
        copy.ApplicationProperties.Remove(DeadLetterSupervisor.RefusalsProperty);
        return _sender.SendMessageAsync(copy, cancellationToken);
    }

    public ValueTask DisposeAsync() => _sender.DisposeAsync();
}
