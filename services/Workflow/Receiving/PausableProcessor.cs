using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// The processor of the queue. A pause closes it: one that is only stopped keeps its credit, so the broker would go on to send it messages
/// that nobody handles, once for each time that their locks end. Those that wait in its buffer go back when it is closed, or, with a
/// client that does not give them back, when their locks end: that is one delivery for each pause, however long it is.
/// </summary>
internal sealed partial class PausableProcessor(
    ServiceBusClient client,
    IOptions<WorkflowOptions> options,
    IOptions<ServiceBusOptions> queue,
    ILogger<PausableProcessor> logger) : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1);
    private Func<ProcessMessageEventArgs, Task>? _onMessage;
    private Func<ProcessErrorEventArgs, Task>? _onError;
    private bool _isOver;

    /// <summary>Null while it pauses.</summary>
    public ServiceBusProcessor? Current { get; private set; }

    /// <summary>Whether it receives, or pauses and will receive again.</summary>
    public bool IsAlive => Current is not { IsProcessing: false };

    public Task StartAsync(
        Func<ProcessMessageEventArgs, Task> onMessage, Func<ProcessErrorEventArgs, Task> onError, CancellationToken cancellationToken)
    {
        (_onMessage, _onError) = (onMessage, onError);
        return ResumeAsync(cancellationToken);
    }

    /// <summary>Returns when the running handlers have ended. Not to be awaited by one of them.</summary>
    public async Task PauseAsync()
    {
        await _gate.WaitAsync();
        try
        {
            await CloseAsync();
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>Does nothing once it has been stopped.</summary>
    public async Task ResumeAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (_isOver || Current is not null)
                return;
            var processor = Create();
            processor.ProcessMessageAsync += _onMessage;
            processor.ProcessErrorAsync += _onError;
            await processor.StartProcessingAsync(cancellationToken);
            Current = processor;
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>For good. Returns when the running handlers have ended.</summary>
    public Task StopAsync()
    {
        _isOver = true;
        return PauseAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _gate.Dispose();
    }

    private ServiceBusProcessor Create() => client.CreateProcessor(queue.Value.QueueName, new ServiceBusProcessorOptions
    {
        AutoCompleteMessages = false,
        MaxConcurrentCalls = options.Value.MaxConcurrentCalls,
        PrefetchCount = options.Value.PrefetchCount,
        MaxAutoLockRenewalDuration = options.Value.MaxAutoLockRenewalDuration,
    });

    private async Task CloseAsync()
    {
        if (Current is not { } processor)
            return;
        await processor.StopProcessingAsync(CancellationToken.None);
        Current = null;
        try
        {
            await processor.CloseAsync(CancellationToken.None);
        }
        catch (ServiceBusException failure)
        {
            Log.CloseFailed(logger, failure.Message);
        }
    }

    private static partial class Log
    {
        [LoggerMessage(
            Level = LogLevel.Warning,
            Message = "The link to the queue did not close: {Failure} Messages in its buffer come back when their locks end")]
        public static partial void CloseFailed(ILogger logger, string failure);
    }
}
