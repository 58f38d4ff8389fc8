using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Telemetry;
using Microsoft.Extensions.Options;
using Polly;
using Polly.CircuitBreaker;

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
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(5),
        Break = TimeSpan.FromSeconds(1);

    private readonly AcknowledgedSender _sender = new(
        client,
        options.Value.QueueName,
        options.Value.SendTimeout,
        time,
        logger
    );
    private readonly ResiliencePipeline<Exception?> _circuit = CircuitOf(options.Value.SendTimeout, time);
    private long _lastAccepted;

    /// <param name="operation">One of the operations of <see cref="QueueMessage"/>.</param>
    /// <param name="messageId">The same id for the same wish, so that a queue with duplicate detection keeps one of them.</param>
    /// <param name="fingerprint">Of a delivery request.</param>
    /// <exception cref="DependencyUnavailableException">
    /// The broker has not acknowledged within <c>ServiceBus:SendTimeout</c>, or its circuit is open.
    /// </exception>
    /// <remarks>A client that hangs up does not cancel its send: whether it arrived would then depend on luck.</remarks>
    public async Task SendAsync<T>(
        string operation,
        string deliveryId,
        string messageId,
        T body,
        string? fingerprint = null
    )
    {
        // Baggage and not a tag: it becomes an attribute of every span within, here and in the services called.
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        var message = MessageOf(operation, deliveryId, messageId, body, fingerprint);
        try
        {
            if (await _circuit.ExecuteAsync(async _ => await _sender.TrySendAsync(message)) is { } failure)
                throw Unavailable("The broker did not acknowledge the request.", operation, deliveryId, failure);
        }
        catch (BrokenCircuitException open)
        {
            throw Unavailable("The broker does not answer, so the request was not sent.", operation, deliveryId, open);
        }
        events.Accepted(deliveryId, operation);
    }

    /// <summary>For readiness.</summary>
    public Task OpenAsync(CancellationToken cancellationToken) => _sender.OpenAsync(cancellationToken);

    /// <summary>
    /// Opens after two sends that failed with the connection, none acknowledged meanwhile: the next clients need not wait for the timeout.
    /// </summary>
    private static ResiliencePipeline<Exception?> CircuitOf(TimeSpan sendTimeout, TimeProvider time) =>
        new ResiliencePipelineBuilder<Exception?> { TimeProvider = time }
            .AddCircuitBreaker(
                new CircuitBreakerStrategyOptions<Exception?>
                {
                    ShouldHandle = send => ValueTask.FromResult(IsOfConnection(send.Outcome.Result)),
                    FailureRatio = 1,
                    MinimumThroughput = 2,
                    SamplingDuration = sendTimeout + Break,
                    BreakDuration = Break,
                }
            )
            .Build();

    private static bool IsOfConnection(Exception? failure) =>
        failure
            is OperationCanceledException
                or ServiceBusException
                {
                    Reason: ServiceBusFailureReason.ServiceCommunicationProblem
                        or ServiceBusFailureReason.ServiceTimeout
                };

    private ServiceBusMessage MessageOf<T>(
        string operation,
        string deliveryId,
        string messageId,
        T body,
        string? fingerprint
    )
    {
        var message = new ServiceBusMessage(JsonSerializer.SerializeToUtf8Bytes(body, ContractJson.Options))
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
