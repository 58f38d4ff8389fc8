using System.Globalization;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.DeadLetters;

/// <summary>
/// Where failed requests wait for an operator, who may send them again. Part of <c>/health/ready</c>: Degraded from a copy that could not
/// be sent to the next one that could. Never Unhealthy: requests are delivered all the same.
/// </summary>
internal sealed class FailedQueue(ServiceBusClient client, IOptions<ServiceBusOptions> options, TimeProvider time)
    : IHealthCheck
{
    private readonly ServiceBusSender _sender = client.CreateSender(options.Value.FailedQueueName);
    private volatile string? _trouble;

    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context,
        CancellationToken cancellationToken = default
    ) => Task.FromResult(_trouble is { } trouble ? HealthCheckResult.Degraded(trouble) : HealthCheckResult.Healthy());

    /// <summary>Returns when the broker has the copy.</summary>
    /// <param name="notEnded">Why its request could not be compensated; null: it was.</param>
    public async Task AddAsync(
        ServiceBusReceivedMessage deadLetter,
        string? notEnded,
        CancellationToken cancellationToken
    )
    {
        var (reason, description) = (deadLetter.DeadLetterReason ?? "", deadLetter.DeadLetterErrorDescription ?? "");
        if (notEnded is not null)
        {
            description =
                $"{notEnded} What the request has made may still be there. Dead-lettered before because of {reason}: {description}";
            reason = "NotEnded";
        }
        var copy = FailedMessage.NextAttemptOf(deadLetter);
        copy.ApplicationProperties["deadLetterReason"] = reason;
        copy.ApplicationProperties["deadLetterDescription"] = description;
        copy.ApplicationProperties["failedAt"] = time.GetUtcNow().ToString("O", CultureInfo.InvariantCulture);
        try
        {
            await _sender.SendMessageAsync(copy, cancellationToken);
            _trouble = null;
        }
        catch (Exception exception) when (exception is ServiceBusException or UnauthorizedAccessException)
        {
            var isMissing =
                exception is ServiceBusException { Reason: ServiceBusFailureReason.MessagingEntityNotFound };
            _trouble =
                $"The queue of failed requests {(isMissing ? "cannot be found" : "takes no message")}, so dead letters stay.";
            throw;
        }
    }
}
