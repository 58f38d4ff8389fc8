using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Telemetry;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion;

/// <summary>The sending end of the queue. A send returns when the broker has acknowledged the message, and not before.</summary>
internal sealed class DeliveryQueue(
    ServiceBusClient client,
    IOptions<ServiceBusOptions> options,
    TimeProvider time,
    DeliveryEvents events,
    ILogger<DeliveryQueue> logger
)
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(5);

    private readonly AcknowledgedSender _sender = new(
        client,
        options.Value.QueueName,
        options.Value.SendTimeout,
        time,
        logger
    );
    private readonly BrokerAbsence _absence = new(options.Value.SendTimeout, time);
    private long _lastAccepted;

    /// <param name="operation">One of the operations of <see cref="QueueMessage"/>.</param>
    /// <param name="messageId">The same id for the same wish, so that a queue with duplicate detection keeps one of them.</param>
    /// <param name="fingerprint">Of a delivery request.</param>
    /// <returns>The JSON of the message's body.</returns>
    /// <exception cref="DependencyUnavailableException">
    /// The broker has not acknowledged within <c>ServiceBus:SendTimeout</c>, or is known to be away.
    /// </exception>
    /// <remarks>A client that hangs up does not cancel its send: whether it arrived would then depend on luck.</remarks>
    public async Task<byte[]> SendAsync<T>(
        string operation,
        string deliveryId,
        string messageId,
        T body,
        string? fingerprint = null
    )
    {
        // Baggage and not a tag: it becomes an attribute of every span within, here and in the services called.
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        if (!_absence.MayTry(out var began))
            throw Unavailable("The broker does not answer, so the request was not sent.", operation, deliveryId);
        var json = JsonSerializer.SerializeToUtf8Bytes(body, ContractJson.Options);
        if (await _sender.TrySendAsync(MessageOf(operation, deliveryId, messageId, json, fingerprint)) is { } failure)
        {
            _absence.Failed(failure, began);
            throw Unavailable("The broker did not acknowledge the request.", operation, deliveryId, failure);
        }
        _absence.Answered();
        events.Accepted(deliveryId, operation);
        return json;
    }

    /// <summary>For readiness. Once the link is open there is nothing to do: a send tells more.</summary>
    public Task OpenAsync(CancellationToken cancellationToken) => _sender.OpenAsync(cancellationToken);

    private ServiceBusMessage MessageOf(
        string operation,
        string deliveryId,
        string messageId,
        byte[] json,
        string? fingerprint
    )
    {
        var message = new ServiceBusMessage(json)
        {
            MessageId = messageId,
            CorrelationId = deliveryId,
            ContentType = QueueMessage.ContentType,
            ApplicationProperties =
            {
                [QueueMessage.OperationProperty] = operation,
                [QueueMessage.AcceptedProperty] = NextAcceptance().ToString("O", CultureInfo.InvariantCulture),
            },
        };
        if (fingerprint is not null)
            message.ApplicationProperties[QueueMessage.FingerprintProperty] = fingerprint;
        return message;
    }

    /// <summary>
    /// Times are unique within a process, so its reschedules of a delivery have an order. Between replicas they are as exact as the clocks.
    /// </summary>
    private DateTimeOffset NextAcceptance()
    {
        while (true)
        {
            var last = Volatile.Read(ref _lastAccepted);
            var next = Math.Max(last + 1, time.GetUtcNow().UtcTicks);
            if (Interlocked.CompareExchange(ref _lastAccepted, next, last) == last)
                return new DateTimeOffset(next, TimeSpan.Zero);
        }
    }

    private static DependencyUnavailableException Unavailable(
        string why,
        string operation,
        string deliveryId,
        Exception? inner = null
    ) =>
        new(
            ProblemTypes.QueueUnavailable,
            "The queue is not available",
            $"{why} {HowToRepeat(operation, deliveryId)}",
            RetryAfter,
            inner
        )
        {
            Extensions = { ["deliveryId"] = deliveryId },
        };

    private static string HowToRepeat(string operation, string deliveryId) =>
        operation switch
        {
            QueueMessage.Delivery =>
                $"Repeat it with deliveryId '{deliveryId}': it counts once, even if the first one arrived after all.",
            QueueMessage.Reschedule =>
                "Repeat it: the newest reschedule wins, and overwrites one that somebody else sent in between.",
            _ => "Repeat it: a delivery that is cancelled twice is cancelled.",
        };
}
