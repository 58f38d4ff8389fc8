using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>Receives for the handlers, and settles.</summary>
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
    // Closing takes a round trip. If the connection is lost in it, the SDK waits for a minute, and then throws.
    private static readonly TimeSpan LongestClose = TimeSpan.FromSeconds(5);

    private static readonly Func<ILogger, string?, IDisposable?> Scope = LoggerMessage.DefineScope<string?>(
        "Delivery {DeliveryId}"
    );

    private readonly List<ServiceBusProcessor> _processors = [];
    private readonly ServiceBusReceiver _receiver = client.CreateReceiver(queue.Value.QueueName);
    private CancellationTokenSource _interruption = new();
    private volatile bool _brokerAnswered;

    /// <param name="oneByOne">Whether one message of each kind is received at a time, and none is prefetched.</param>
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
    /// Returns when the handlers have ended and nothing is received any more. The processors are closed: one that is only stopped keeps its
    /// credit, so the broker would go on to send it messages that nobody handles. Closing drains the link, and releases its buffer.
    /// </summary>
    public async Task CloseAsync()
    {
        var processors = _processors.ToList();
        _processors.Clear();
        await Task.WhenAll(processors.Select(CloseAsync));
    }

    /// <summary>An outage has begun, or the process has to end: cancels the running handlers, which give their messages back.</summary>
    public void Interrupt() => _interruption.Cancel();

    /// <summary>Looks at the first message, but only at first and after an error: probes leave no traces in telemetry.</summary>
    public async Task PeekAsync(CancellationToken cancellationToken)
    {
        if (!_brokerAnswered)
            await _receiver.PeekMessageAsync(cancellationToken: cancellationToken);
        _brokerAnswered = true;
    }

    public void Dispose() => _interruption.Dispose();

    private async Task CloseAsync(ServiceBusProcessor processor)
    {
        try
        {
            await processor.StopProcessingAsync(CancellationToken.None);
            await processor.CloseAsync(CancellationToken.None).WaitAsync(LongestClose, time);
        }
        catch (Exception failure) // whatever it is, it must not end the process: the next processor has a link of its own
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
        _brokerAnswered = false;
        Failed($"{args.ErrorSource}", args.EntityPath, args.Exception.Message);
        return Task.CompletedTask;
    }

    [LoggerMessage(Level = LogLevel.Warning, Message = "{Operation} on {Queue} failed: {Failure}")]
    private partial void Failed(string operation, string queue, string failure);
}
