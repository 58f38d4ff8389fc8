using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Watching;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// The only place that settles messages. A settlement that fails is logged and counted, and <see cref="FailureVerdict"/> may name another
/// one to try. Otherwise the message is delivered again when its lock ends, which the workflow does not mind.
/// </summary>
internal sealed partial class MessageSettler(
    ServiceBusSender sender,
    FailureVerdict verdict,
    MessageObservers observers,
    TimeProvider time,
    ILogger<MessageSettler> logger)
{
    private const string LastFailureProperty = "lastFailure";

    public async Task SettleAsync(ProcessMessageEventArgs args, Settlement settlement)
    {
        try
        {
            await SettleOnceAsync(args, settlement);
            observers.Settled(settlement, args.Message);
        }
        catch (Exception failure) when (failure is ServiceBusException or UnauthorizedAccessException
            or OperationCanceledException or ObjectDisposedException)
        {
            observers.SettlementFailed(settlement, failure);
            Log.SettlementFailed(logger, settlement.GetType().Name, args.Message.MessageId, args.Message.DeliveryCount, failure.Message);
            if (verdict.Instead(settlement, failure) is { } second)
                await SettleAsync(args, second);
        }
    }

    private Task SettleOnceAsync(ProcessMessageEventArgs args, Settlement settlement) => settlement switch
    {
        Settlement.Complete => args.CompleteMessageAsync(args.Message, CancellationToken.None),
        Settlement.Abandon(var delay, var cause) => AbandonAsync(args, delay, cause),
        Settlement.Postpone postpone => PostponeAsync(args, postpone),
        Settlement.DeadLetter(var reason, var description) =>
            args.DeadLetterMessageAsync(args.Message, reason, description, CancellationToken.None),
        _ => throw new UnreachableException($"No message is settled by {settlement.GetType().Name}."),
    };

    /// <summary>A processor that stops does not sit out the delay.</summary>
    private async Task AbandonAsync(ProcessMessageEventArgs args, TimeSpan delay, string cause)
    {
        await Task.Delay(delay, time, args.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await args.AbandonMessageAsync(
            args.Message, new Dictionary<string, object> { [LastFailureProperty] = cause }, CancellationToken.None);
    }

    /// <summary>Schedules the copy first: if the Complete fails, the message is there twice, which the workflow does not mind.</summary>
    private async Task PostponeAsync(ProcessMessageEventArgs args, Settlement.Postpone postpone)
    {
        // It comes again by itself. A copy each time would multiply it.
        if (args.Message.LockedUntil <= time.GetUtcNow())
            throw new ServiceBusException("The lock has ended.", ServiceBusFailureReason.MessageLockLost);
        var copy = new ServiceBusMessage(args.Message)
        {
            // A queue with duplicate detection would drop a second message with the same id.
            MessageId = Guid.NewGuid().ToString(),
            CorrelationId = args.Message.CorrelationId ?? args.Message.MessageId,
        };
        copy.ApplicationProperties[QueueMessage.PostponedProperty] = postpone.Times;
        copy.ApplicationProperties[LastFailureProperty] = postpone.Cause;
        await sender.ScheduleMessageAsync(copy, time.GetUtcNow() + postpone.Delay, CancellationToken.None);
        await args.CompleteMessageAsync(args.Message, CancellationToken.None);
    }

    private static partial class Log
    {
        [LoggerMessage(
            Level = LogLevel.Warning,
            Message = "{Settlement} of message {MessageId} failed (delivery {DeliveryCount}): {Failure}")]
        public static partial void SettlementFailed(
            ILogger logger, string settlement, string? messageId, int deliveryCount, string failure);
    }
}
