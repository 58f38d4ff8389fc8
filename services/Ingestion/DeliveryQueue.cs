using System.Diagnostics;
using System.Globalization;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion;

/// <summary>
/// The sending end of the queue: one sender for the process, any number of sends at a time. A send returns when the broker has
/// acknowledged the message, and not before.
/// </summary>
internal sealed class DeliveryQueue(
    ServiceBusClient client,
    IOptions<ServiceBusOptions> options,
    AcceptanceClock clock,
    TimeProvider time,
    ILogger<DeliveryQueue> logger) : IAsyncDisposable
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(5);

    private readonly ServiceBusSender _sender = client.CreateSender(options.Value.QueueName);
    private readonly TimeSpan _timeout = options.Value.SendTimeout;
    private readonly Outage _outage = new("Service Bus", logger);
    private readonly BrokerAbsence _absence = new(options.Value.SendTimeout, time);

    /// <summary>One try may use the whole time: a broker that is slow needs no second try, one that is away refuses at once.</summary>
    public static void Configure(ServiceBusOptions options, ServiceBusClientOptions client) =>
        client.RetryOptions.TryTimeout = options.SendTimeout;

    /// <param name="operation">One of the operations of <see cref="QueueMessage"/>.</param>
    /// <param name="deliveryId">The delivery that the message is about.</param>
    /// <param name="messageId">The same id for the same wish, so that a queue with duplicate detection keeps one of them.</param>
    /// <param name="body">The operation's record.</param>
    /// <param name="fingerprint">Of a delivery request.</param>
    /// <returns>The JSON of the message's body.</returns>
    /// <exception cref="DependencyUnavailableException">
    /// The broker has not acknowledged within <c>ServiceBus:SendTimeout</c>, or is known to be away.
    /// </exception>
    /// <remarks>A client that hangs up does not cancel its send: whether it arrived would then depend on luck.</remarks>
    public async Task<byte[]> SendAsync<T>(string operation, string deliveryId, string messageId, T body, string? fingerprint = null)
    {
        // Baggage and not a tag: Application Insights writes it on everything that happens within, here and in the services called.
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        if (!_absence.MayTry(out var began))
            throw Unavailable("The broker does not answer, so the request was not sent.", operation, deliveryId);
        var json = MessageBody.Of(body);
        using var patience = new CancellationTokenSource(_timeout, time);
        try
        {
            await _sender.SendMessageAsync(MessageOf(operation, deliveryId, messageId, json, fingerprint), patience.Token);
            _absence.Answered();
            _outage.Succeeded();
            return json;
        }
        catch (Exception exception) when (exception is ServiceBusException or UnauthorizedAccessException or OperationCanceledException)
        {
            _absence.Failed(exception, began);
            var cause = exception is ServiceBusException broker ? broker.Reason.ToString() : exception.GetType().Name;
            _outage.Failed($"No acknowledgement within {_timeout} ({cause}).");
            throw Unavailable("The broker did not acknowledge the request.", operation, deliveryId, exception);
        }
    }

    /// <summary>Connects and opens the link, without sending anything. Once it is open there is nothing to do: a send tells more.</summary>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        // Its size limit is the broker's, so making a batch needs the link.
        using var batch = await _sender.CreateMessageBatchAsync(cancellationToken);
    }

    public ValueTask DisposeAsync() => _sender.DisposeAsync();

    private ServiceBusMessage MessageOf(string operation, string deliveryId, string messageId, byte[] json, string? fingerprint)
    {
        var message = new ServiceBusMessage(json)
        {
            MessageId = messageId,
            CorrelationId = deliveryId,
            ContentType = QueueMessage.ContentType,
            ApplicationProperties =
            {
                [QueueMessage.OperationProperty] = operation,
                [QueueMessage.AcceptedProperty] = clock.Next().ToString("O", CultureInfo.InvariantCulture),
            },
        };
        if (fingerprint is not null)
            message.ApplicationProperties[QueueMessage.FingerprintProperty] = fingerprint;
        return message;
    }

    private static DependencyUnavailableException Unavailable(string why, string operation, string deliveryId, Exception? inner = null) =>
        new(
            "urn:drone-delivery:queue-unavailable",
            "The queue is not available",
            $"{why} {HowToRepeat(operation, deliveryId)}",
            RetryAfter,
            inner)
        {
            Extensions = { ["deliveryId"] = deliveryId },
        };

    private static string HowToRepeat(string operation, string deliveryId) => operation switch
    {
        QueueMessage.Delivery => $"Repeat it with deliveryId '{deliveryId}': it counts once, even if the first one arrived after all.",
        QueueMessage.Reschedule => "Repeat it: the newest reschedule wins, and overwrites one that somebody else sent in between.",
        _ => "Repeat it: a delivery that is cancelled twice is cancelled.",
    };
}
