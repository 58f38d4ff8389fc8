using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.Workflow.Watching;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// Receives messages. <see cref="DeliveryRequestHandler"/> handles each and says how to settle it, <see cref="MessageSettler"/> settles it,
/// and <see cref="MessageObservers"/> watch.
/// </summary>
internal sealed partial class DeliveryRequestListener(
    PausableProcessor processor,
    DeliveryRequestHandler handler,
    MessageSettler settler,
    MessageObservers observers,
    TimeProvider time,
    ILogger<DeliveryRequestListener> logger) : IHostedService, IDisposable
{
    // Not the processor's token, which fires as soon as it stops: handlers that run then are meant to finish.
    private readonly CancellationTokenSource _outOfTime = new();

    public Task StartAsync(CancellationToken cancellationToken)
    {
        observers.Starting();
        return processor.StartAsync(OnMessageAsync, OnErrorAsync, cancellationToken);
    }

    /// <summary>Takes no more messages and waits for the handlers. When the host's shutdown time-out ends, they give up and
    /// abandon.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.Register(_outOfTime.Cancel);
        await processor.StopAsync();
    }

    public void Dispose() => _outOfTime.Dispose();

    private async Task OnMessageAsync(ProcessMessageEventArgs args)
    {
        var deliveryId = args.Message.CorrelationId ?? args.Message.MessageId;
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        MessageAge.Record(args.Message.EnqueuedTime, time);
        using var scope = Log.Scope(logger, deliveryId);
        var began = time.GetTimestamp();
        observers.Began(lockLeft: args.Message.LockedUntil - time.GetUtcNow());
        try
        {
            var settlement = await handler.HandleAsync(args.Message, _outOfTime.Token);
            await settler.SettleAsync(args, settlement);
        }
        finally
        {
            observers.Ended(time.GetElapsedTime(began));
        }
    }

    private Task OnErrorAsync(ProcessErrorEventArgs args)
    {
        observers.ReceivingFailed();
        Log.ReceivingFailed(logger, args.ErrorSource, args.EntityPath, args.Exception.Message);
        return Task.CompletedTask;
    }

    private static partial class Log
    {
        public static readonly Func<ILogger, string?, IDisposable?> Scope = LoggerMessage.DefineScope<string?>("Delivery {DeliveryId}");

        [LoggerMessage(Level = LogLevel.Warning, Message = "{Source} on {Queue} failed: {Failure}")]
        public static partial void ReceivingFailed(ILogger logger, ServiceBusErrorSource source, string queue, string failure);
    }
}
