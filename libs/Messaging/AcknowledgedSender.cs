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

    /// <summary>Connects and opens the link, without sending anything. Fails if the broker is unavailable, also later.</summary>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        await OpenAsync(_sender, cancellationToken);
        // The sender knows its link's size limit from then on, and would not ask the broker again.
        await using var probe = client.CreateSender(queue);
        await OpenAsync(probe, cancellationToken);
    }

    /// <summary>A batch needs the size limit, which the broker tells when the link is opened.</summary>
    private static async Task OpenAsync(ServiceBusSender sender, CancellationToken cancellationToken)
    {
        using var batch = await sender.CreateMessageBatchAsync(cancellationToken);
    }
}
