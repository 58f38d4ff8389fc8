using System.Diagnostics;
using System.Transactions;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Telemetry;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>Settles messages. A failed settlement is logged and counted, and the message is redelivered when its lock expires.</summary>
internal sealed partial class MessageSettler(
    ServiceBusClient client,
    IOptions<ServiceBusOptions> options,
    Recoverability recoverability,
    MessageMetrics metrics,
    DeliveryEvents events,
    TimeProvider time,
    ILogger<MessageSettler> logger
)
{
    private readonly ServiceBusSender _sender = client.CreateSender(options.Value.QueueName);

    public async Task SettleAsync(ProcessMessageEventArgs args, Settlement settlement)
    {
        if (await TrySettleAsync(args, settlement) is not { } failure)
            return;
        if (settlement is Settlement.Complete && recoverability.AfterFailedComplete(failure) is { } second)
            await TrySettleAsync(args, second);
    }

    /// <returns><c>null</c> if the message is settled.</returns>
    private async Task<Exception?> TrySettleAsync(ProcessMessageEventArgs args, Settlement settlement)
    {
        MarkHandling(settlement.Error);
        try
        {
            await SettleOnceAsync(args, settlement);
            metrics.Settled(settlement, args.Message);
            if (args.Message.DeadLetterReason is null)
                Report(settlement, args.Message);
            return null;
        }
        catch (Exception failure)
            when (failure
                    is ServiceBusException
                        or UnauthorizedAccessException
                        or TransactionException
                        or OperationCanceledException
                        or ObjectDisposedException
            )
        {
            MarkHandling(metrics.SettlementFailed(settlement, args.Message, failure));
            SettlementFailed(
                settlement.GetType().Name,
                args.Message.MessageId,
                args.Message.DeliveryCount,
                failure.Message
            );
            return failure;
        }
    }

    private static void MarkHandling(string? error)
    {
        if (error is not null)
            Activity.Current?.SetTag("error.type", error).SetStatus(ActivityStatusCode.Error);
    }

    private Task SettleOnceAsync(ProcessMessageEventArgs args, Settlement settlement) =>
        settlement switch
        {
            Settlement.Complete => args.CompleteMessageAsync(args.Message, CancellationToken.None),
            Settlement.Postpone postpone => PostponeAsync(args, postpone),
            Settlement.DeadLetter(var reason, var why) => args.DeadLetterMessageAsync(
                args.Message,
                settlement.Properties,
                reason,
                Settlement.Truncate(why),
                CancellationToken.None
            ),
            _ => throw new UnreachableException($"Unexpected settlement {settlement.GetType().Name}."),
        };

    private void Report(Settlement settlement, ServiceBusReceivedMessage message)
    {
        var deliveryId = message.CorrelationId ?? message.MessageId;
        switch (settlement)
        {
            case Settlement.Complete { IsDone: true }:
                events.Completed(deliveryId, RequestMessage.OperationOf(message) ?? "");
                break;
            case Settlement.Postpone { Delay: var delay }:
                // Only the first time, because an outage may postpone a message many times.
                if (!message.ApplicationProperties.ContainsKey(Recoverability.LastFailure))
                    events.Postponed(deliveryId, delay);
                break;
            default:
                events.Failed(deliveryId, settlement.Error!);
                break;
        }
    }

    private async Task PostponeAsync(ProcessMessageEventArgs args, Settlement.Postpone postpone)
    {
        var copy = CopyOf(args.Message, postpone);
        if (args.Message.DeadLetterReason is not null)
        {
            // A transaction can't span two queues, but compensating twice is harmless.
            await _sender.SendMessageAsync(copy, CancellationToken.None);
            await args.CompleteMessageAsync(args.Message, CancellationToken.None);
            return;
        }
        // Atomic: if the lock has expired, the broker stores no copy.
        using var transaction = new CommittableTransaction();
        using (var scope = new TransactionScope(transaction, TransactionScopeAsyncFlowOption.Enabled))
        {
            await _sender.SendMessageAsync(copy, CancellationToken.None);
            await args.CompleteMessageAsync(args.Message, CancellationToken.None);
            scope.Complete();
        }
        // A scope without an explicit transaction would block the thread.
        await Task.Factory.FromAsync(transaction.BeginCommit, transaction.EndCommit, state: null);
    }

    private ServiceBusMessage CopyOf(ServiceBusReceivedMessage message, Settlement.Postpone postpone)
    {
        var copy = new ServiceBusMessage(message)
        {
            MessageId = Guid.NewGuid().ToString(), // duplicate detection would drop a second message with the same id
            CorrelationId = message.CorrelationId ?? message.MessageId,
            ScheduledEnqueueTime = time.GetUtcNow() + postpone.Delay,
        };
        foreach (var (name, value) in postpone.Properties)
            copy.ApplicationProperties[name] = value;
        if (message.DeadLetterReason is not null)
        {
            FailedMessage.Mark(copy, message);
        }
        else if (message.ExpiresAt < DateTimeOffset.MaxValue)
        {
            // A copy with the full time to live would never expire.
            var left = message.ExpiresAt - copy.ScheduledEnqueueTime;
            copy.TimeToLive = left > TimeSpan.FromSeconds(1) ? left : TimeSpan.FromSeconds(1);
        }
        return copy;
    }

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "{Settlement} of message {MessageId} failed (delivery {DeliveryCount}): {Failure}"
    )]
    private partial void SettlementFailed(string settlement, string? messageId, int deliveryCount, string failure);
}
