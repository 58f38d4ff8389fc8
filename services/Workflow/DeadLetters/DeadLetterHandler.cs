using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.DeadLetters;

/// <summary>
/// Ends the request of a dead letter: compensates what it has made, records why it has failed, and gives the message to the operators. Each
/// step may be repeated, so a crash between two costs nothing. A compensation that fails is retried as any other message is. One that is
/// rejected, or has failed for too long, goes to the operators as it is.
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
            default: // a cancellation, or a message that cannot be read: neither has made anything
                break;
        }
        await failedQueue.AddAsync(message, notEnded: null, cancellationToken);
    }

    public async Task<Settlement> RecoverAsync(Exception failure, ServiceBusReceivedMessage message)
    {
        if (failure is OperationCanceledException)
            return recoverability.Interrupted();
        if (FindRetry(failure, message) is { } retry)
            return retry;
        try
        {
            // What the request has made may stay; an operator who replays it starts again.
            await failedQueue.AddAsync(message, failure.Message, CancellationToken.None);
            GaveUp(message.MessageId, failure.Message, Recoverability.DefectIn(failure));
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
        var isOfBroker = failure is ServiceBusException or UnauthorizedAccessException;
        var retry = recoverability.FindRetry(
            failure,
            message,
            isOfBroker ? TimeSpan.MaxValue : options.Value.RetryFor,
            isFirst: !FailedMessage.IsMarked(message)
        );
        if (retry is not null)
            CompensationFailed(message.MessageId, retry.Delay, failure.Message, Recoverability.DefectIn(failure));
        return retry;
    }

    /// <summary>Why the request has failed, in words for its client. The words for operators stay with the message.</summary>
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
            Detail = problem is null ? "The request could not be carried out." : "The request was rejected.",
        };
    }

    [LoggerMessage(
        Level = LogLevel.Information,
        Message = "Dead letter {MessageId} is completed: its delivery is recorded"
    )]
    private partial void HasSucceeded(string? messageId);

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "Dead letter {MessageId} is completed: attempt {Attempt} of its request has failed before, and the failed queue has it"
    )]
    private partial void HasFailedBefore(string? messageId, int attempt);

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "Compensation for dead-lettered message {MessageId} failed; the next attempt is in {Delay}: {Failure}"
    )]
    private partial void CompensationFailed(string? messageId, TimeSpan delay, string failure, Exception? defect);

    [LoggerMessage(
        Level = LogLevel.Error,
        Message = "Compensation for dead-lettered message {MessageId} failed; the message moves to the failed queue: {Failure}"
    )]
    private partial void GaveUp(string? messageId, string failure, Exception? defect);
}
