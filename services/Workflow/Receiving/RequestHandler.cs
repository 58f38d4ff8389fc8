using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Workflow.Calls;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

internal sealed partial class RequestHandler(
    IOptions<WorkflowOptions> options,
    DeliveryWorkflow workflow,
    Recoverability recoverability,
    ILogger<RequestHandler> logger
) : IMessageHandler
{
    public ServiceBusProcessorOptions? ProcessorOptions =>
        new()
        {
            AutoCompleteMessages = false,
            MaxConcurrentCalls = options.Value.MaxConcurrentCalls,
            PrefetchCount = options.Value.PrefetchCount,
            MaxAutoLockRenewalDuration = options.Value.MaxAutoLockRenewalDuration,
        };

    public Task HandleAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken)
    {
        FailedMessage.ThrowIfMarked(message);
        return RequestMessage.Read(message) switch
        {
            RequestMessage.Delivery(var identity, var request) => workflow.ScheduleAsync(
                identity,
                request,
                cancellationToken
            ),
            RequestMessage.Reschedule(var changes, var acceptedAt) => workflow.RescheduleAsync(
                changes,
                acceptedAt,
                cancellationToken
            ),
            RequestMessage.Cancel(var deliveryId, var acceptedAt) => workflow.CancelAsync(
                deliveryId,
                acceptedAt,
                cancellationToken
            ),
            var other => throw new UnreachableException($"Unexpected message {other}."),
        };
    }

    public Task<Settlement> RecoverAsync(Exception failure, ServiceBusReceivedMessage message)
    {
        var settlement = recoverability.ChooseSettlement(failure, message);
        // A pause is logged once for all messages; a wait for a delivery, only the first time.
        var isRepeatedWait =
            failure is PermanentFailureException
            && settlement is Settlement.Postpone
            && Recoverability.RetriesOf(message) > 0;
        if (failure is not OperationCanceledException && !isRepeatedWait)
        {
            HandlingFailed(
                message.MessageId,
                Recoverability.RetriesOf(message),
                settlement is Settlement.Complete ? "given up" : settlement.GetType().Name,
                failure.Message,
                Recoverability.FindBug(failure)
            );
        }
        return Task.FromResult(settlement);
    }

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "Handling of message {MessageId} failed (retry {Retries}; {Settlement}): {Failure}"
    )]
    private partial void HandlingFailed(
        string? messageId,
        int retries,
        string settlement,
        string failure,
        Exception? bug
    );
}
