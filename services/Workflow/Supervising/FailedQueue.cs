using System.Globalization;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Supervising;

/// <summary>Where failed requests wait for an operator, who may send them again.</summary>
internal sealed class FailedQueue(ServiceBusClient client, IOptions<ServiceBusOptions> options, TimeProvider time) : IAsyncDisposable
{
    private readonly ServiceBusSender _sender = client.CreateSender(options.Value.FailedQueueName);
    private volatile string? _trouble;

    /// <summary>Why the newest copy is not there; null: it is, or there has been none.</summary>
    public string? Trouble => _trouble;

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
        return SendAsync(copy, cancellationToken);
    }

    private async Task SendAsync(ServiceBusMessage copy, CancellationToken cancellationToken)
    {
        try
        {
            await _sender.SendMessageAsync(copy, cancellationToken);
            _trouble = null;
        }
        catch (Exception exception) when (exception is ServiceBusException or UnauthorizedAccessException)
        {
            var isMissing = exception is ServiceBusException { Reason: ServiceBusFailureReason.MessagingEntityNotFound };
            _trouble = $"The queue of failed requests {(isMissing ? "cannot be found" : "takes no message")}, so dead letters stay.";
            throw;
        }
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

/// <summary>
/// Part of <c>/health/ready</c>: Degraded from a copy that could not be sent to the next one that could. Never Unhealthy: requests are
/// delivered all the same.
/// </summary>
internal sealed class FailedQueueTakesCopies(FailedQueue failedQueue) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(failedQueue.Trouble is { } trouble ? HealthCheckResult.Degraded(trouble) : HealthCheckResult.Healthy());
}
