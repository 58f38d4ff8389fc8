using Azure.Messaging.ServiceBus;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.Receiving;

namespace DroneDelivery.Workflow.Supervising;

/// <summary>
/// Ends the request of a dead letter: undoes what it has made, records why it has failed, and gives the message to the operators. Each step
/// may be repeated, so a crash between two costs nothing.
/// </summary>
internal sealed partial class EndRequest(DeliveryWorkflow workflow, FailedQueue failedQueue, ILogger<EndRequest> logger)
{
    public async Task HandleAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken)
    {
        // A cancel, a reschedule and what nobody can read have made nothing.
        if (RequestMessage.FindDelivery(message) is not var (identity, request))
            await failedQueue.AddAsync(message, cancellationToken);
        else if (!await workflow.FailAsync(identity, request, DeadLetterCause.Of(message), cancellationToken))
            Log.HasSucceeded(logger, message.MessageId);
        else if (DeadLetterCause.Of(message).Reason != Refusal.Failed) // the request had failed before, and has its copy
            await failedQueue.AddAsync(message, cancellationToken);
    }

    /// <summary>Nothing more is undone. The operators get the message, and why.</summary>
    public Task GiveUpAsync(ServiceBusReceivedMessage message, string failure, CancellationToken cancellationToken) =>
        failedQueue.AddAsync(
            message,
            "NotEnded",
            $"{failure} What the request has made may still be there. Dead-lettered before because of "
                + $"{message.DeadLetterReason}: {message.DeadLetterErrorDescription}",
            cancellationToken);

    private static partial class Log
    {
        [LoggerMessage(
            Level = LogLevel.Information,
            Message = "The dead letter {MessageId} is completed: the delivery that it asks for is recorded.")]
        public static partial void HasSucceeded(ILogger logger, string? messageId);
    }
}
