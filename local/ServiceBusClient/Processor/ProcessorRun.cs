namespace Azure.Messaging.ServiceBus;

/// <summary>The loops of a processor, from its start to its stop.</summary>
#pragma warning disable CA1001 // Nobody asks the semaphore for a wait handle, and there is nothing else to free.
internal sealed class ProcessorRun
#pragma warning restore CA1001
{
    private readonly SemaphoreSlim _gate = new(1);
    private readonly Lock _resizing = new();
    private CancellationTokenSource? _stopping;
    private LoopGroup? _group;

    public bool IsRunning => _stopping is not null && _group is { Ended.IsCompleted: false };

    /// <summary>How many loops there are, in this run and the next ones.</summary>
    public int Loops { get; private set; }

    public void Resize(int loops)
    {
        lock (_resizing)
        {
            Loops = loops;
            _group?.Resize(loops);
        }
    }

    /// <param name="begin">Makes what a loop runs; its token says that the processor stops.</param>
    /// <param name="cancellationToken">Ends the wait for a stop under way.</param>
    /// <exception cref="InvalidOperationException">The processor already runs.</exception>
    public async Task StartAsync(Func<CancellationToken, Func<CancellationToken, Task>> begin, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (_stopping is not null)
                throw new InvalidOperationException("The processor already runs.");
            var stop = new CancellationTokenSource();
            var loop = begin(stop.Token);
            lock (_resizing)
                _group = new LoopGroup(loop, Loops, stop.Token);
            _stopping = stop;
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <param name="cancellationToken">Before the stop has begun: the processor goes on. Later it has no effect.</param>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (_stopping is null)
                return;
            cancellationToken.ThrowIfCancellationRequested();
            // What a handler has registered with its token may fail; that is no reason not to stop.
            await _stopping.CancelAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await _group!.Ended;
            _stopping.Dispose();
            _stopping = null;
        }
        finally
        {
            _gate.Release();
        }
    }
}
