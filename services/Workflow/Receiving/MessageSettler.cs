using System.Diagnostics;
using System.Transactions;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Telemetry;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>How a message leaves its handler.</summary>
internal abstract record Settlement
{
    // Characters of a description that Service Bus takes; a longer one fails the call.
    private const int LongestText = 4_096;

    /// <summary>Application properties that the message keeps when it is delivered again.</summary>
    public IDictionary<string, object> Properties { get; init; } = new Dictionary<string, object>();

    /// <summary>What telemetry names as the error of the handling. Null: none. A postponed message has lost nothing, and the failed
    /// calls say why it waits.</summary>
    public string? Error =>
        this switch
        {
            DeadLetter(var reason, _) => reason,
            Abandon => "Abandoned",
            Complete { IsDone: false } => "GivenUp",
            _ => null,
        };

    /// <param name="IsDone">False: what the message asks for is given up.</param>
    public sealed record Complete(bool IsDone = true) : Settlement;

    /// <summary>Returned to the queue.</summary>
    /// <param name="Delay">To hold the message before. It keeps its handler's place, but never for more than half of its lock.</param>
    public sealed record Abandon(TimeSpan Delay) : Settlement;

    /// <summary>A copy is scheduled, and the message completed. It keeps no handler's place and uses up no delivery.</summary>
    /// <param name="Delay">Until the copy is delivered.</param>
    public sealed record Postpone(TimeSpan Delay) : Settlement;

    public sealed record DeadLetter(string Reason, string Description) : Settlement;

    public static string Cut(string text) => text[..Math.Min(text.Length, LongestText)];
}

/// <summary>
/// The only place that settles messages of the queue. A settlement that fails is logged and counted, and <see cref="Recoverability"/> may
/// name another one to try. Otherwise the message is delivered again when its lock ends.
/// </summary>
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
        MarkHandling(settlement.Error);
        try
        {
            await SettleOnceAsync(args, settlement);
            metrics.Settled(settlement, args.Message);
            if (args.Message.DeadLetterReason is null)
                Report(settlement, args.Message);
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
            if (recoverability.AfterFailed(settlement, failure) is { } second)
                await SettleAsync(args, second);
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
            Settlement.Abandon abandon => AbandonAsync(args, abandon),
            Settlement.Postpone postpone => PostponeAsync(args, postpone),
            Settlement.DeadLetter(var reason, var why) => args.DeadLetterMessageAsync(
                args.Message,
                settlement.Properties,
                reason,
                Settlement.Cut(why),
                CancellationToken.None
            ),
            _ => throw new UnreachableException($"No message is settled by {settlement.GetType().Name}."),
        };

    /// <summary>The queue would deliver it again at once. A processor that stops does not wait for the delay.</summary>
    private async Task AbandonAsync(ProcessMessageEventArgs args, Settlement.Abandon abandon)
    {
        var halfOfLock = (args.Message.LockedUntil - time.GetUtcNow()) / 2;
        var delay =
            abandon.Delay < halfOfLock ? abandon.Delay
            : halfOfLock > TimeSpan.Zero ? halfOfLock
            : TimeSpan.Zero;
        await Task.Delay(delay, time, args.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await args.AbandonMessageAsync(args.Message, abandon.Properties, CancellationToken.None);
    }

    private void Report(Settlement settlement, ServiceBusReceivedMessage message)
    {
        var deliveryId = message.CorrelationId ?? message.MessageId;
        switch (settlement)
        {
            case Settlement.Complete { IsDone: true }:
                events.Completed(deliveryId, RequestMessage.OperationOf(message) ?? "");
                break;
            case Settlement.DeadLetter failure:
                events.Failed(deliveryId, failure.Reason);
                break;
            case Settlement.Complete:
                events.Failed(deliveryId, settlement.Error!);
                break;
            // Only the first time: a message may be postponed for as long as an outage lasts.
            case Settlement.Postpone { Delay: var delay }
                when !message.ApplicationProperties.ContainsKey(Recoverability.LastFailure):
                events.Postponed(deliveryId, delay);
                break;
        }
    }

    /// <summary>Both or neither: if the lock has ended, the broker stores no copy.</summary>
    private async Task PostponeAsync(ProcessMessageEventArgs args, Settlement.Postpone postpone)
    {
        using var transaction = new CommittableTransaction();
        using (var scope = new TransactionScope(transaction, TransactionScopeAsyncFlowOption.Enabled))
        {
            await _sender.SendMessageAsync(CopyOf(args.Message, postpone), CancellationToken.None);
            await args.CompleteMessageAsync(args.Message, CancellationToken.None);
            scope.Complete();
        }
        // Disposing a scope of its own would commit too, and block the thread until the broker has answered.
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
        // A copy that had all of its time again would never expire.
        if (message.ExpiresAt < DateTimeOffset.MaxValue)
        {
            copy.TimeToLive = TimeSpan.FromSeconds(
                Math.Max(1, (message.ExpiresAt - copy.ScheduledEnqueueTime).TotalSeconds)
            );
        }

        foreach (var (name, value) in postpone.Properties)
            copy.ApplicationProperties[name] = value;
        return copy;
    }

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "{Settlement} of message {MessageId} failed (delivery {DeliveryCount}): {Failure}"
    )]
    private partial void SettlementFailed(string settlement, string? messageId, int deliveryCount, string failure);
}
