using System.Globalization;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.DeadLetters;

/// <summary>The queue from which operators can resend failed requests. Its health is Degraded while messages can't be sent to it.</summary>
internal sealed class FailedQueue(ServiceBusClient client, IOptions<ServiceBusOptions> options, TimeProvider time)
    : IHealthCheck
{
    private readonly ServiceBusSender _sender = client.CreateSender(options.Value.FailedQueueName);
    private volatile string? _error;

    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context,
        CancellationToken cancellationToken = default
    ) => Task.FromResult(_error is { } error ? HealthCheckResult.Degraded(error) : HealthCheckResult.Healthy());

    /// <summary>Sends a copy of a dead letter.</summary>
    /// <param name="compensationError">The error of the compensation; <c>null</c> if it succeeded.</param>
    public async Task AddAsync(
        ServiceBusReceivedMessage deadLetter,
        string? compensationError,
        CancellationToken cancellationToken
    )
    {
        var (reason, description) = (deadLetter.DeadLetterReason ?? "", deadLetter.DeadLetterErrorDescription ?? "");
        if (compensationError is not null)
        {
            description =
                $"{compensationError} Effects of the request may remain. Dead-lettered before because of {reason}: {description}";
            reason = "NotEnded";
        }
        var copy = FailedMessage.NextAttemptOf(deadLetter);
        copy.ApplicationProperties["deadLetterReason"] = reason;
        copy.ApplicationProperties["deadLetterDescription"] = description;
        copy.ApplicationProperties["failedAt"] = time.GetUtcNow().ToString("O", CultureInfo.InvariantCulture);
        try
        {
            await _sender.SendMessageAsync(copy, cancellationToken);
            _error = null;
        }
        catch (Exception exception) when (exception is ServiceBusException or UnauthorizedAccessException)
        {
            var isMissing =
                exception is ServiceBusException { Reason: ServiceBusFailureReason.MessagingEntityNotFound };
            _error =
                $"The queue of failed requests {(isMissing ? "cannot be found" : "rejects messages")}, so dead letters remain.";
            throw;
        }
    }
}
