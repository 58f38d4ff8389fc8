using Azure.Messaging.ServiceBus;
using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Messaging;

/// <summary>
/// Sends messages, waits for the broker's acknowledgment, and logs outages. Thread-safe. The link closes with the client.
/// </summary>
public sealed class AcknowledgedSender(
    ServiceBusClient client,
    string queue,
    TimeSpan timeout,
    TimeProvider time,
    ILogger logger
)
{
    private readonly ServiceBusSender _sender = client.CreateSender(queue);
    private readonly OutageLog _outage = new("Service Bus", logger);

    /// <returns><c>null</c> if the broker acknowledged the message within the timeout; otherwise, the error.</returns>
    public async Task<Exception?> TrySendAsync(ServiceBusMessage message)
    {
        using var timeoutSource = new CancellationTokenSource(timeout, time);
        try
        {
            await _sender.SendMessageAsync(message, timeoutSource.Token);
            _outage.Succeeded();
            return null;
        }
        catch (Exception exception)
            when (exception is ServiceBusException or UnauthorizedAccessException or OperationCanceledException)
        {
            _outage.Failed(
                exception switch
                {
                    OperationCanceledException => $"No acknowledgment within {timeout}.",
                    ServiceBusException broker => $"The send failed: {broker.Reason}.",
                    _ => $"The send failed: {exception.GetType().Name}.",
                }
            );
            return exception;
        }
    }

    /// <summary>Opens the link. Fails if the broker is unavailable, even if the link was open before.</summary>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        await OpenAsync(_sender, cancellationToken);
        // The first sender caches the size limit, so only a new one contacts the broker again.
        await using var probe = client.CreateSender(queue);
        await OpenAsync(probe, cancellationToken);
    }

    /// <summary>Creating a batch opens the link, because it requires the broker's size limit.</summary>
    private static async Task OpenAsync(ServiceBusSender sender, CancellationToken cancellationToken)
    {
        using var batch = await sender.CreateMessageBatchAsync(cancellationToken);
    }
}
