using Azure.Messaging.ServiceBus;
using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Messaging;

/// <summary>One sender for the process, any number of sends at a time. Logs the start and the end of the broker's outages. Its link ends
/// with the client.</summary>
public sealed class AcknowledgedSender(
    ServiceBusClient client,
    string queue,
    TimeSpan timeout,
    TimeProvider time,
    ILogger logger
)
{
    private readonly ServiceBusSender _sender = client.CreateSender(queue);
    private readonly Outage _outage = new("Service Bus", logger);

    /// <returns>Null: the broker has acknowledged the message. Otherwise why it has not, within the timeout.</returns>
    public async Task<Exception?> TrySendAsync(ServiceBusMessage message)
    {
        using var patience = new CancellationTokenSource(timeout, time);
        try
        {
            await _sender.SendMessageAsync(message, patience.Token);
            _outage.Succeeded();
            return null;
        }
        catch (Exception exception)
            when (exception is ServiceBusException or UnauthorizedAccessException or OperationCanceledException)
        {
            _outage.Failed(
                exception switch
                {
                    OperationCanceledException => $"No acknowledgement within {timeout}.",
                    ServiceBusException broker => $"The send failed: {broker.Reason}.",
                    _ => $"The send failed: {exception.GetType().Name}.",
                }
            );
            return exception;
        }
    }

    /// <summary>Connects and opens the link, without sending anything.</summary>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        // Its size limit is the broker's, so making a batch needs the link.
        using var batch = await _sender.CreateMessageBatchAsync(cancellationToken);
    }
}
