using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.Workflow.Watching;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// Receives and settles, and is the only one who does: success completes, a permanent failure dead-letters with its reason, what comes
/// before its delivery is put off, any other failure follows the policy (<see cref="FailureVerdict"/>). A settlement that fails is logged
/// and counted; the message then comes back when its lock ends, which the workflow does not mind.
/// </summary>
internal sealed partial class DeliveryRequestListener(
    ServiceBusProcessor processor,
    ServiceBusSender sender,
    DeliveryWorkflow workflow,
    IAdmission admission,
    FailureVerdict verdict,
    PumpHealth health,
    PrefetchAdvice advice,
    SettlementMetrics metrics,
    TimeProvider time,
    ILogger<DeliveryRequestListener> logger) : IHostedService, IDisposable
{
    private const string LastFailureProperty = "lastFailure";

    // Not the processor's token, which fires as soon as it stops: handlers that run then are meant to finish.
    private readonly CancellationTokenSource _outOfTime = new();

    public Task StartAsync(CancellationToken cancellationToken)
    {
        processor.ProcessMessageAsync += OnMessageAsync;
        processor.ProcessErrorAsync += OnErrorAsync;
        advice.JudgeByOptions();
        return processor.StartProcessingAsync(cancellationToken);
    }

    /// <summary>Takes no more messages and waits for the handlers; when the host's shutdown time-out ends, they give up
    /// and abandon.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.Register(_outOfTime.Cancel);
        await processor.StopProcessingAsync(CancellationToken.None);
    }

    public void Dispose() => _outOfTime.Dispose();

    private async Task OnMessageAsync(ProcessMessageEventArgs args)
    {
        var deliveryId = args.Message.CorrelationId ?? args.Message.MessageId;
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        using var scope = Log.Scope(logger, deliveryId);
        using var handler = health.HandlerBegins();
        var lockLeft = args.Message.LockedUntil - time.GetUtcNow();
        var began = time.GetTimestamp();

        var settlement = await HandleAsync(args.Message);
        await SettleAsync(args, settlement);
        advice.Learn(lockLeft, time.GetElapsedTime(began));
    }

    private async Task<Settlement> HandleAsync(ServiceBusReceivedMessage message)
    {
        try
        {
            await admission.WaitAsync(_outOfTime.Token);
            await workflow.RunAsync(message, _outOfTime.Token);
            return new Settlement.Complete();
        }
        catch (OperationCanceledException) when (_outOfTime.IsCancellationRequested)
        {
            return new Settlement.Abandon(TimeSpan.Zero, "Workflow was shut down.");
        }
        catch (Exception failure)
        {
            Log.HandlingFailed(logger, message.MessageId, message.DeliveryCount, failure.Message, IsExpected(failure) ? null : failure);
            return verdict.Of(failure, message);
        }
    }

    /// <summary>The others are mistakes of ours, and their stack trace is wanted.</summary>
    private static bool IsExpected(Exception failure) =>
        failure is PermanentFailureException or NotRecordedYetException or HttpRequestException;

    private async Task SettleAsync(ProcessMessageEventArgs args, Settlement settlement)
    {
        try
        {
            await SettleOnceAsync(args, settlement);
            metrics.Settled(settlement);
        }
        catch (Exception failure) when (failure is ServiceBusException or UnauthorizedAccessException
            or OperationCanceledException or ObjectDisposedException)
        {
            metrics.SettlementFailed(settlement, failure);
            Log.SettlementFailed(logger, settlement.GetType().Name, args.Message.MessageId, args.Message.DeliveryCount, failure.Message);
            if (verdict.Instead(settlement, failure) is { } second)
                await SettleAsync(args, second);
        }
    }

    private Task SettleOnceAsync(ProcessMessageEventArgs args, Settlement settlement) => settlement switch
    {
        Settlement.DeadLetter(var reason, var description) =>
            args.DeadLetterMessageAsync(args.Message, reason, description, CancellationToken.None),
        Settlement.Abandon(var delay, var cause) => AbandonAsync(args, delay, cause),
        Settlement.Postpone postpone => PostponeAsync(args, postpone),
        Settlement.Complete => args.CompleteMessageAsync(args.Message, CancellationToken.None),
        _ => throw new UnreachableException($"Nobody settles a message as {settlement.GetType().Name}."),
    };

    /// <summary>A processor that stops does not sit out the delay.</summary>
    private async Task AbandonAsync(ProcessMessageEventArgs args, TimeSpan delay, string cause)
    {
        await Task.Delay(delay, time, args.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await args.AbandonMessageAsync(
            args.Message, new Dictionary<string, object> { [LastFailureProperty] = cause }, CancellationToken.None);
    }

    /// <summary>The copy first: a message that comes back after all is there twice, which the workflow does not mind either.</summary>
    private async Task PostponeAsync(ProcessMessageEventArgs args, Settlement.Postpone postpone)
    {
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

    private Task OnErrorAsync(ProcessErrorEventArgs args)
    {
        health.BrokerFailed();
        Log.ReceivingFailed(logger, args.ErrorSource, args.EntityPath, args.Exception.Message);
        return Task.CompletedTask;
    }

    private static partial class Log
    {
        public static readonly Func<ILogger, string?, IDisposable?> Scope = LoggerMessage.DefineScope<string?>("Delivery {DeliveryId}");

        [LoggerMessage(Level = LogLevel.Warning, Message = "Handling of message {MessageId} failed (delivery {DeliveryCount}): {Failure}")]
        public static partial void HandlingFailed(
            ILogger logger, string? messageId, int deliveryCount, string failure, Exception? exception);

        [LoggerMessage(
            Level = LogLevel.Warning,
            Message = "{Settlement} of message {MessageId} failed (delivery {DeliveryCount}): {Failure}")]
        public static partial void SettlementFailed(
            ILogger logger, string settlement, string? messageId, int deliveryCount, string failure);

        [LoggerMessage(Level = LogLevel.Warning, Message = "{Source} on {Queue} failed: {Failure}")]
        public static partial void ReceivingFailed(ILogger logger, ServiceBusErrorSource source, string queue, string failure);
    }
}
