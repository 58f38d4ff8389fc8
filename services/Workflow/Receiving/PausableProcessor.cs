using Azure.Messaging.ServiceBus;
using DroneDelivery.Workflow.Holding;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// The processor of a queue. A pause closes it: one that is only stopped keeps its credit, so the broker would go on to send it messages
/// that nobody handles, once for each time that their locks end. Closing drains the link, and releases what waits in its buffer.
/// </summary>
/// <param name="client">Connects.</param>
/// <param name="queue">Its name.</param>
/// <param name="optionsOf">How messages are received; the argument is whether one by one.</param>
/// <param name="logger">For what goes wrong.</param>
internal sealed partial class PausableProcessor(
    ServiceBusClient client, string queue, Func<bool, ServiceBusProcessorOptions> optionsOf, ILogger<PausableProcessor> logger)
    : IHeld, IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1);
    private bool _oneByOne;
    private Func<ProcessMessageEventArgs, Task>? _onMessage;
    private Func<ProcessErrorEventArgs, Task>? _onError;
    private bool _isOver, _isDisposed;

    /// <summary>Null while it pauses.</summary>
    public ServiceBusProcessor? Current { get; private set; }

    /// <summary>Whether it receives, or pauses and will receive again.</summary>
    public bool IsAlive => Current is not { IsProcessing: false };

    public Task StartAsync(
        Func<ProcessMessageEventArgs, Task> onMessage, Func<ProcessErrorEventArgs, Task> onError, CancellationToken cancellationToken)
    {
        (_onMessage, _onError) = (onMessage, onError);
        return ResumeAsync(oneByOne: false, cancellationToken);
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

    public async Task ResumeAsync(bool oneByOne, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (_isOver || _onMessage is null || (Current is not null && _oneByOne == oneByOne))
                return;
            await CloseAsync();
            _oneByOne = oneByOne;
            var processor = client.CreateProcessor(queue, optionsOf(oneByOne));
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
        if (_isDisposed)
            return; // registered under two types
        _isDisposed = true;
        await StopAsync();
        _gate.Dispose();
    }

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
