using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

internal sealed partial class MessageReceiver(
    ServiceBusClient client,
    IOptions<ServiceBusOptions> queue,
    IEnumerable<IMessageHandler> handlers,
    MessageSettler settler,
    MessageMetrics metrics,
    TimeProvider time,
    ILogger<MessageReceiver> logger
) : IDisposable
{
    // If the connection is lost while closing, the SDK waits for a minute and then throws.
    private static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(5);

    private static readonly Func<ILogger, string?, IDisposable?> Scope = LoggerMessage.DefineScope<string?>(
        "Delivery {DeliveryId}"
    );

    private readonly List<ServiceBusProcessor> _processors = [];
    private readonly ServiceBusReceiver _receiver = client.CreateReceiver(queue.Value.QueueName);
    private CancellationTokenSource _interruption = new();
    private volatile bool _hasResponded;

    /// <param name="oneByOne">Whether each handler receives messages one by one, without prefetching.</param>
    public async Task StartAsync(bool oneByOne)
    {
        _interruption = new();
        var interrupted = _interruption.Token;
        foreach (var handler in handlers)
        {
            if (handler.ProcessorOptions is not { } processorOptions)
                continue;
            if (oneByOne)
                (processorOptions.MaxConcurrentCalls, processorOptions.PrefetchCount) = (1, 0);
            var processor = client.CreateProcessor(queue.Value.QueueName, processorOptions);
            processor.ProcessMessageAsync += args => OnMessageAsync(handler, args, interrupted);
            processor.ProcessErrorAsync += OnErrorAsync;
            _processors.Add(processor);
            await processor.StartProcessingAsync(CancellationToken.None);
        }
    }

    /// <summary>
    /// Waits for the handlers and stops receiving. A processor that is only stopped keeps its credit and its buffer, so the broker would
    /// send messages that no handler receives.
    /// </summary>
    public async Task CloseAsync()
    {
        var processors = _processors.ToList();
        _processors.Clear();
        await Task.WhenAll(processors.Select(CloseAsync));
    }

    /// <summary>Cancels the running handlers, whose messages are postponed.</summary>
    public void Interrupt() => _interruption.Cancel();

    /// <summary>Peeks at the queue, but only initially and after an error, to keep probes out of telemetry.</summary>
    public async Task PeekAsync(CancellationToken cancellationToken)
    {
        if (!_hasResponded)
            await _receiver.PeekMessageAsync(cancellationToken: cancellationToken);
        _hasResponded = true;
    }

    public void Dispose() => _interruption.Dispose();

    private async Task CloseAsync(ServiceBusProcessor processor)
    {
        try
        {
            await processor.StopProcessingAsync(CancellationToken.None);
            await processor.CloseAsync(CancellationToken.None).WaitAsync(CloseTimeout, time);
        }
        catch (Exception failure) // must not end the process; the next processor uses another link
        {
            Failed("Closing the link", processor.EntityPath, failure.Message);
        }
    }

    private async Task OnMessageAsync(
        IMessageHandler handler,
        ProcessMessageEventArgs args,
        CancellationToken cancellationToken
    )
    {
        var deliveryId = args.Message.CorrelationId ?? args.Message.MessageId;
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        if (Activity.Current is { } span)
        {
            var age = span.StartTimeUtc - args.Message.EnqueuedTime;
            span.SetTag("timeSinceEnqueued", Math.Max(0, age.TotalMilliseconds)); // the SDK doesn't record it
        }
        using var scope = Scope(logger, deliveryId);
        var began = time.GetTimestamp();
        await settler.SettleAsync(args, await HandleAsync(handler, args.Message, cancellationToken));
        metrics.Handled(args.Message, time.GetElapsedTime(began));
    }

    private static async Task<Settlement> HandleAsync(
        IMessageHandler handler,
        ServiceBusReceivedMessage message,
        CancellationToken cancellationToken
    )
    {
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            await handler.HandleAsync(message, cancellationToken);
            return new Settlement.Complete();
        }
        catch (Exception failure)
        {
            return await handler.RecoverAsync(failure, message);
        }
    }

    private Task OnErrorAsync(ProcessErrorEventArgs args)
    {
        _hasResponded = false;
        Failed($"{args.ErrorSource}", args.EntityPath, args.Exception.Message);
        return Task.CompletedTask;
    }

    [LoggerMessage(Level = LogLevel.Warning, Message = "{Operation} on {Queue} failed: {Failure}")]
    private partial void Failed(string operation, string queue, string failure);
}
