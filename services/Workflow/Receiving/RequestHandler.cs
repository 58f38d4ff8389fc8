using System.Threading.RateLimiting;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// Runs the workflow that a message asks for. If the process registers a limiter, each message waits for a permit: to spare its back ends,
/// for example.
/// </summary>
internal sealed partial class RequestHandler(
    IOptions<WorkflowOptions> options,
    DeliveryWorkflow workflow,
    Recoverability recoverability,
    ILogger<RequestHandler> logger,
    RateLimiter? limiter = null
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

    public async Task HandleAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken)
    {
        using var permit = limiter is null ? null : await limiter.AcquireAsync(1, cancellationToken);
        if (permit is { IsAcquired: false })
            throw new HttpRequestException("The limiter of this process has no permit.");
        await RunAsync(message, cancellationToken);
        recoverability.Handled(message);
    }

    public Task<Settlement> RecoverAsync(Exception failure, ServiceBusReceivedMessage message)
    {
        var settlement = recoverability.Of(failure, message);
        // Not of a pause, which has its own line, nor of each wait of a cancel: only of the first, and when it is given up.
        var isRepetition =
            settlement is Settlement.Postpone { Properties: var properties }
            && properties.TryGetValue(QueueMessage.PostponedProperty, out var times)
            && times is > 1;
        var end = settlement is Settlement.Complete ? "given up: its delivery has not come" : settlement.GetType().Name;
        if (failure is not OperationCanceledException && !isRepetition)
        {
            HandlingFailed(
                message.MessageId,
                message.DeliveryCount,
                end,
                failure.Message,
                Recoverability.DefectIn(failure)
            );
        }

        return Task.FromResult(settlement);
    }

    private Task RunAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken)
    {
        switch (RequestMessage.OperationOf(message))
        {
            case QueueMessage.Delivery:
                var (identity, request) = RequestMessage.ReadDelivery(message);
                return workflow.ScheduleAsync(identity, request, cancellationToken);
            case QueueMessage.Reschedule:
                var (changes, acceptedAt) = RequestMessage.ReadReschedule(message);
                return workflow.RescheduleAsync(changes, acceptedAt, cancellationToken);
            case QueueMessage.Cancel:
                return workflow.CancelAsync(RequestMessage.ReadCancel(message), cancellationToken);
            case var unknown:
                throw new PermanentFailureException(
                    "UnknownOperation",
                    $"Application property '{QueueMessage.OperationProperty}' is {(unknown is null ? "missing" : $"'{unknown}'")}. "
                        + $"Expected {QueueMessage.Delivery}, {QueueMessage.Reschedule} or {QueueMessage.Cancel}."
                );
        }
    }

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "Handling of message {MessageId} failed (delivery {DeliveryCount}; {Settlement}): {Failure}"
    )]
    private partial void HandlingFailed(
        string? messageId,
        int deliveryCount,
        string settlement,
        string failure,
        Exception? defect
    );
}
