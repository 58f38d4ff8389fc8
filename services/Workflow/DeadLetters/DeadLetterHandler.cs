using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.DeadLetters;

/// <summary>
/// Ends the request of a dead letter: undoes what it has made, records why it has failed, and gives the message to the operators. Each step
/// may be repeated, so a crash between two costs nothing. If a step fails, the message goes back with a growing delay. It is never lost: a
/// dead-letter queue has no limit of deliveries. One that fails again and again would keep a handler from the others for ever, so the
/// operators get it as it is.
/// </summary>
internal sealed partial class DeadLetterHandler(
    DeliveryWorkflow workflow,
    FailedQueue failedQueue,
    Recoverability recoverability,
    IOptions<WorkflowOptions> options,
    DeliveryEvents events,
    TimeProvider time,
    ILogger<DeadLetterHandler> logger
) : IMessageHandler
{
    /// <summary>Application property: how often the request could not be ended.</summary>
    public const string FailuresProperty = "endFailures";

    /// <summary>After so many the operators get the message: sooner if the last was a refusal, which no repetition mends.</summary>
    public const int MostFailures = 20,
        MostRefusals = 5;

    // One that cannot be ended for now waits in its handler; the others go on.
    public const int MaxConcurrentCalls = 4;

    private static readonly TimeSpan FirstDelay = TimeSpan.FromSeconds(1);

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
        if (RequestMessage.Find(message, QueueMessage.Delivery, RequestMessage.ReadDelivery) is var (identity, request))
        {
            if (!await workflow.FailAsync(identity, request, failure, cancellationToken))
            {
                HasSucceeded(message.MessageId);
                return;
            }
            if (failure.Reason == ProblemTypes.Failed)
                return; // it had failed before, and has its copy
            events.Compensated(identity.DeliveryId, failure.Reason);
        }
        else if (
            RequestMessage.Find(message, QueueMessage.Reschedule, RequestMessage.ReadReschedule)
            is var (changes, acceptedAt)
        )
        {
            await workflow.UndoRescheduleAsync(changes, acceptedAt, cancellationToken);
            events.Compensated(changes.DeliveryId!, failure.Reason);
        }
        // A cancel and what nobody can read have made nothing.
        await failedQueue.AddAsync(message, notEnded: null, cancellationToken);
    }

    /// <summary>In an outage nothing is counted: it says nothing of this dead letter.</summary>
    public async Task<Settlement> RecoverAsync(Exception failure, ServiceBusReceivedMessage message)
    {
        var isOwnFault = recoverability.IsOwnFault(failure, message);
        var failures = Recoverability.CountOf(message, FailuresProperty) + (isOwnFault ? 1 : 0);
        try
        {
            if (isOwnFault && failures >= (failure is PermanentFailureException ? MostRefusals : MostFailures))
            {
                // What the request has made may stay; an operator who replays it starts anew.
                await failedQueue.AddAsync(message, failure.Message, CancellationToken.None);
                GaveUp(message.MessageId, failures, failure.Message, Recoverability.DefectIn(failure));
                return new Settlement.Complete(IsDone: false);
            }
        }
        catch (Exception exception) when (exception is ServiceBusException or UnauthorizedAccessException)
        {
            failure = exception;
        }
        if (failure is not OperationCanceledException) // a pause has its own line
            EndingFailed(message.MessageId, failures, failure.Message, Recoverability.DefectIn(failure));
        return new Settlement.Abandon(Recoverability.Doubled(FirstDelay, message.DeliveryCount - 1))
        {
            Properties =
            {
                [FailuresProperty] = failures,
                [Recoverability.LastFailureAt] = time.GetUtcNow().UtcDateTime,
            },
        };
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
            Detail = problem is null ? "The request could not be carried out." : "The request was refused.",
        };
    }

    [LoggerMessage(
        Level = LogLevel.Information,
        Message = "The dead letter {MessageId} is completed: the delivery that it asks for is recorded"
    )]
    private partial void HasSucceeded(string? messageId);

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "Compensation for dead-lettered message {MessageId} failed (attempt {Attempt}): {Failure}"
    )]
    private partial void EndingFailed(string? messageId, int attempt, string failure, Exception? defect);

    [LoggerMessage(
        Level = LogLevel.Error,
        Message = "Compensation for dead-lettered message {MessageId} failed {Attempts} times; the message moves to the failed queue: {Failure}"
    )]
    private partial void GaveUp(string? messageId, int attempts, string failure, Exception? defect);
}
