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

    /// <param name="messageId">The message id, equal for retries, so that duplicate detection drops them.</param>
    /// <exception cref="DependencyUnavailableException">
    /// The broker didn't acknowledge the message within <c>ServiceBus:SendTimeout</c>, or the circuit is open.
    /// </exception>
    /// <remarks>Not cancelled with the HTTP request, which would leave the outcome unknown.</remarks>
    public async Task SendAsync<T>(
        string operation,
        string deliveryId,
        string messageId,
        T body,
        string? fingerprint = null
    )
    {
        // Baggage, unlike a tag, reaches all spans, also in called services.
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        var message = MessageOf(operation, deliveryId, messageId, body, fingerprint);
        try
        {
            if (await _circuit.ExecuteAsync(async _ => await _sender.TrySendAsync(message)) is { } failure)
                throw Unavailable("The broker did not acknowledge the request.", operation, deliveryId, failure);
        }
        catch (BrokenCircuitException open)
        {
            throw Unavailable("The broker is unavailable, so the request was not sent.", operation, deliveryId, open);
        }
        events.Accepted(deliveryId, operation);
    }

    public Task OpenAsync(CancellationToken cancellationToken) => _sender.OpenAsync(cancellationToken);

    /// <summary>Opens after two connection failures in a row, so that further clients don't wait for the timeout.</summary>
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

    /// <summary>Returns times that are unique within the process, so that its reschedules of a delivery are ordered.</summary>
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
            "The queue is unavailable",
            $"{why} {HowToRetry(operation, deliveryId)}",
            RetryAfter,
            inner
        )
        {
            Extensions = { ["deliveryId"] = deliveryId },
        };

    private static string HowToRetry(string operation, string deliveryId) =>
        operation switch
        {
            QueueMessage.Delivery => $"Retry with deliveryId '{deliveryId}'. Retries are idempotent.",
            QueueMessage.Reschedule =>
                "Retry it. The newest reschedule wins, and overwrites others that were sent meanwhile.",
            _ => "Retry it. Cancellations are idempotent.",
        };
}
