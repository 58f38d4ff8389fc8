using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.DeadLetters;

/// <summary>
/// Handles dead letters: compensates the request, records its failure, and moves the message to the failed queue. All steps are idempotent.
/// A failed compensation is retried like any message; if it is rejected, or fails for too long, the message moves to the failed queue.
/// </summary>
internal sealed partial class DeadLetterHandler(
    DeliveryWorkflow workflow,
    FailedQueue failedQueue,
    Recoverability recoverability,
    IOptions<WorkflowOptions> options,
    DeliveryEvents events,
    ILogger<DeadLetterHandler> logger
) : IMessageHandler
{
    public const int MaxConcurrentCalls = 4;

    public ServiceBusProcessorOptions? ProcessorOptions =>
        !options.Value.Supervisor.Enabled
            ? null
            : new()
            {
                SubQueue = SubQueue.DeadLetter,
                AutoCompleteMessages = false,
                MaxConcurrentCalls = MaxConcurrentCalls,
            };

    public async Task HandleAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken)
    {
        var failure = FailureOf(message);
        switch (RequestMessage.Find(message))
        {
            case RequestMessage.Delivery(var identity, var request):
                if (!await workflow.FailAsync(identity, request, failure, cancellationToken))
                {
                    HasSucceeded(message.MessageId);
                    return;
                }
                if (failure.Reason == ProblemTypes.Failed)
                {
                    HasFailedBefore(message.MessageId, identity.Attempt);
                    return;
                }
                events.Compensated(identity.DeliveryId, failure.Reason);
                break;
            case RequestMessage.Reschedule(var changes, var acceptedAt):
                await workflow.UndoRescheduleAsync(changes, acceptedAt, cancellationToken);
                events.Compensated(changes.DeliveryId!, failure.Reason);
                break;
            default: // cancellations and unreadable messages have no effects
                break;
        }
        await failedQueue.AddAsync(message, compensationError: null, cancellationToken);
    }

    public async Task<Settlement> RecoverAsync(Exception failure, ServiceBusReceivedMessage message)
    {
        if (failure is OperationCanceledException)
            return recoverability.Interrupted();
        if (FindRetry(failure, message) is { } retry)
            return retry;
        try
        {
            // Effects may remain. An operator can resend the request.
            await failedQueue.AddAsync(message, failure.Message, CancellationToken.None);
            GaveUp(message.MessageId, failure.Message, Recoverability.FindBug(failure));
            return new Settlement.Complete(IsDone: false);
        }
        catch (Exception exception) when (exception is ServiceBusException or UnauthorizedAccessException)
        {
            return FindRetry(exception, message)!;
        }
    }

    /// <returns><c>null</c> if the compensation is given up.</returns>
    private Settlement.Postpone? FindRetry(Exception failure, ServiceBusReceivedMessage message)
    {
        if (failure is PermanentFailureException)
            return null;
        var isBrokerFailure = failure is ServiceBusException or UnauthorizedAccessException;
        var retry = recoverability.FindRetry(
            failure,
            message,
            isBrokerFailure ? TimeSpan.MaxValue : options.Value.RetryFor,
            isFirst: !FailedMessage.IsMarked(message)
        );
        if (retry is not null)
            CompensationFailed(message.MessageId, retry.Delay, failure.Message, Recoverability.FindBug(failure));
        return retry;
    }

    /// <summary>Returns the failure for clients. Details for operators remain in the message.</summary>
    private static DeliveryFailure FailureOf(ServiceBusReceivedMessage message)
    {
        var problem = message.ApplicationProperties.GetValueOrDefault(Recoverability.ProblemType) as string;
        if (problem?.StartsWith(ProblemTypes.Prefix, StringComparison.Ordinal) is true)
        {
            return new()
            {
                Reason = problem,
                Detail = $"{message.ApplicationProperties.GetValueOrDefault(Recoverability.ProblemDetail)}",
            };
        }

        return new()
        {
            Reason =
                ProblemTypes.Prefix
                + JsonNamingPolicy.KebabCaseLower.ConvertName(message.DeadLetterReason ?? "DeadLettered"),
            Detail = problem is null ? "The request could not be processed." : "The request was rejected.",
        };
    }

    [LoggerMessage(
        Level = LogLevel.Information,
        Message = "Dead letter {MessageId} completed: its delivery is recorded"
    )]
    private partial void HasSucceeded(string? messageId);

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "Dead letter {MessageId} completed: attempt {Attempt} of its request failed before and is in the failed queue"
    )]
    private partial void HasFailedBefore(string? messageId, int attempt);

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "Compensation for dead-lettered message {MessageId} failed; retrying in {Delay}: {Failure}"
    )]
    private partial void CompensationFailed(string? messageId, TimeSpan delay, string failure, Exception? bug);

    [LoggerMessage(
        Level = LogLevel.Error,
        Message = "Compensation for dead-lettered message {MessageId} failed; the message moved to the failed queue: {Failure}"
    )]
    private partial void GaveUp(string? messageId, string failure, Exception? bug);
}
