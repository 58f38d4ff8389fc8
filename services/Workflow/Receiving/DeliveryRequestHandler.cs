using Azure.Messaging.ServiceBus;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.Workflow.Holding;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>Runs the workflow that a message asks for, and says how to settle the message. A failure becomes a settlement too.</summary>
internal sealed partial class DeliveryRequestHandler(
    IAdmission admission,
    DeliveryWorkflow workflow,
    BackendOutage outage,
    FailureVerdict verdict,
    ILogger<DeliveryRequestHandler> logger)
{
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">The host's time to shut down has ended: the message goes back to the queue.</param>
    public async Task<Settlement> HandleAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken)
    {
        var outageBegan = outage.Began;
        using var givingUp = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, outageBegan);
        try
        {
            givingUp.Token.ThrowIfCancellationRequested();
            await admission.WaitAsync(givingUp.Token);
            await workflow.RunAsync(message, givingUp.Token);
            return new Settlement.Complete();
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return new Settlement.Abandon(TimeSpan.Zero, "Workflow was shut down.");
        }
        catch (Exception failure) when (outageBegan.IsCancellationRequested && failure is not PermanentFailureException)
        {
            return verdict.PutOff("An outage began while the message was handled.", message);
        }
        catch (NotRecordedYetException early)
        {
            return WaitFor(early, message);
        }
        catch (Exception failure)
        {
            Log.HandlingFailed(logger, message.MessageId, message.DeliveryCount, failure.Message, IsExpected(failure) ? null : failure);
            return await outage.ExplainAsync(failure) is { } cause
                ? verdict.PutOff(cause, message)
                : verdict.Of(failure, message);
        }
    }

    /// <summary>Told when it begins to wait and when it has waited in vain, and not each time in between.</summary>
    private Settlement WaitFor(NotRecordedYetException early, ServiceBusReceivedMessage message)
    {
        var settlement = verdict.Of(early, message);
        if (settlement is Settlement.Complete)
            Log.GivenUp(logger, message.MessageId, early.Message);
        else if (settlement is Settlement.Postpone { Times: 1 })
            Log.HandlingFailed(logger, message.MessageId, message.DeliveryCount, early.Message, exception: null);
        return settlement;
    }

    /// <summary>Any other failure is a defect of ours, so the log needs its stack trace.</summary>
    private static bool IsExpected(Exception failure) =>
        failure is PermanentFailureException or HttpRequestException;

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "Handling of message {MessageId} failed (delivery {DeliveryCount}): {Failure}")]
        public static partial void HandlingFailed(
            ILogger logger, string? messageId, int deliveryCount, string failure, Exception? exception);

        [LoggerMessage(Level = LogLevel.Warning, Message = "Message {MessageId} has waited in vain and is given up: {Failure}")]
        public static partial void GivenUp(ILogger logger, string? messageId, string failure);
    }
}
