namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Hands messages to a handler, at most <see cref="MaxConcurrentCalls"/> at a time, renews their locks meanwhile and settles
/// them afterwards.
/// </summary>
public class ServiceBusProcessor : IAsyncDisposable
{
    private readonly BusConnection _connection = null!;
    private readonly ServiceBusReceiver _receiver = null!;
    private readonly ProcessorRun _run = new();
    private Func<ProcessMessageEventArgs, Task>? _processMessage;
    private Func<ProcessErrorEventArgs, Task>? _processError;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusProcessor()
    {
    }

    internal ServiceBusProcessor(BusConnection connection, string entityPath, ServiceBusProcessorOptions options)
    {
        _connection = connection;
        FullyQualifiedNamespace = connection.FullyQualifiedNamespace;
        EntityPath = SubQueuePath.Of(entityPath, options.SubQueue);
        Identifier = options.Identifier ?? $"{EntityPath}-{Guid.NewGuid()}";
        ReceiveMode = options.ReceiveMode;
        PrefetchCount = options.PrefetchCount;
        _run.Resize(options.MaxConcurrentCalls);
        AutoCompleteMessages = options.AutoCompleteMessages;
        MaxAutoLockRenewalDuration = options.MaxAutoLockRenewalDuration;
        var receiverOptions = new ServiceBusReceiverOptions
        {
            ReceiveMode = ReceiveMode,
            PrefetchCount = options.PrefetchCount,
            Identifier = $"{Identifier}-Receiver",
        };
        _receiver = new ServiceBusReceiver(connection, EntityPath, receiverOptions, isProcessor: true);
    }

    /// <summary>The handler of a message: one only, set before the start.</summary>
    public event Func<ProcessMessageEventArgs, Task> ProcessMessageAsync
    {
        add => _processMessage = HandlerSlot.Add(_processMessage, value, nameof(ProcessMessageAsync));
        remove => _processMessage = HandlerSlot.Remove(_processMessage, value, nameof(ProcessMessageAsync));
    }

    /// <summary>Told of every error, one only, set before the start. The processor goes on whatever it does.</summary>
    public event Func<ProcessErrorEventArgs, Task> ProcessErrorAsync
    {
        add => _processError = HandlerSlot.Add(_processError, value, nameof(ProcessErrorAsync));
        remove => _processError = HandlerSlot.Remove(_processError, value, nameof(ProcessErrorAsync));
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string EntityPath { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual ServiceBusReceiveMode ReceiveMode { get; }

    public virtual int PrefetchCount { get; private set; }

    public virtual int MaxConcurrentCalls => _run.Loops;

    public virtual bool AutoCompleteMessages { get; }

    public virtual TimeSpan MaxAutoLockRenewalDuration { get; }

    public virtual bool IsProcessing => _run.IsRunning;

    public virtual bool IsClosed { get; private set; }

    /// <exception cref="InvalidOperationException">A handler is missing or the processor already runs.</exception>
    public virtual async Task StartProcessingAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsClosed || _connection.IsClosed, this);
        await _run.StartAsync(Begin, cancellationToken);
    }

    /// <summary>
    /// Takes no further message and returns when the running handlers have ended, whose locks are renewed until then. What was prefetched
    /// stays buffered, for the next start or until <see cref="CloseAsync"/> gives it back.
    /// </summary>
    /// <param name="cancellationToken">Before the stop has begun: the processor goes on. Later it has no effect, and handlers
    /// are waited for.</param>
    public virtual Task StopProcessingAsync(CancellationToken cancellationToken = default) => _run.StopAsync(cancellationToken);

    /// <summary>Stops, and gives buffered messages back to the broker.</summary>
    public virtual async Task CloseAsync(CancellationToken cancellationToken = default)
    {
        IsClosed = true;
        await StopProcessingAsync(cancellationToken);
        if (_receiver is not null)
            await _receiver.CloseAsync(cancellationToken);
    }

    /// <summary>
    /// Sets <see cref="MaxConcurrentCalls"/>, also while the processor runs. When it falls, handlers that are at work go on to their end.
    /// </summary>
    public void UpdateConcurrency(int maxConcurrentCalls)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxConcurrentCalls, 1);
        _run.Resize(maxConcurrentCalls);
    }

    /// <summary>Sets <see cref="PrefetchCount"/>, also while the processor runs.</summary>
    public void UpdatePrefetchCount(int prefetchCount)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(prefetchCount);
        PrefetchCount = prefetchCount;
        _receiver.UpdatePrefetchCount(prefetchCount);
    }

    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Calls the message handler; tests of handlers call it too.</summary>
    protected internal virtual Task OnProcessMessageAsync(ProcessMessageEventArgs args) =>
        _processMessage?.Invoke(args) ?? Task.CompletedTask;

    protected internal virtual Task OnProcessErrorAsync(ProcessErrorEventArgs args) => _processError?.Invoke(args) ?? Task.CompletedTask;

    private Func<CancellationToken, Task> Begin(CancellationToken stopping)
    {
        HandlerSlot.RequireBoth(_processMessage, _processError);
        var errors = new ErrorReports(OnProcessErrorAsync, FullyQualifiedNamespace, EntityPath, Identifier);
        var diagnostics = new BusDiagnostics(FullyQualifiedNamespace, EntityPath);
        return new MessagePump(
            this, _receiver, errors, diagnostics, _connection.RetryOptions.Delay, _connection.Time, stopping).RunAsync;
    }
}
