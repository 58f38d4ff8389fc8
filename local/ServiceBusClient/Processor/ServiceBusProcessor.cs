namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Hands messages to a handler, at most <see cref="MaxConcurrentCalls"/> at a time, renews their locks meanwhile and settles
/// them afterwards.
/// </summary>
public class ServiceBusProcessor : IAsyncDisposable
{
    private readonly BusConnection _connection = null!;
    private readonly ServiceBusReceiver _receiver = null!;
    private readonly SemaphoreSlim _gate = new(1);
    private Func<ProcessMessageEventArgs, Task>? _processMessage;
    private Func<ProcessErrorEventArgs, Task>? _processError;
    private CancellationTokenSource? _stopping;
    private Task _pumps = Task.CompletedTask;

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
        MaxConcurrentCalls = options.MaxConcurrentCalls;
        AutoCompleteMessages = options.AutoCompleteMessages;
        MaxAutoLockRenewalDuration = options.MaxAutoLockRenewalDuration;
        var receiverOptions = new ServiceBusReceiverOptions
        {
            ReceiveMode = ReceiveMode,
            PrefetchCount = PrefetchCount,
            Identifier = $"{Identifier}-Receiver",
        };
        _receiver = new ServiceBusReceiver(connection, EntityPath, receiverOptions, isProcessor: true);
    }

    /// <summary>The handler of a message: one only, set before the start.</summary>
    public event Func<ProcessMessageEventArgs, Task> ProcessMessageAsync
    {
        add => _processMessage = OnlyOne(_processMessage, value, nameof(ProcessMessageAsync));
        remove => _processMessage = Remove(_processMessage, value, nameof(ProcessMessageAsync));
    }

    /// <summary>Told of every error, one only, set before the start. The processor goes on whatever it does.</summary>
    public event Func<ProcessErrorEventArgs, Task> ProcessErrorAsync
    {
        add => _processError = OnlyOne(_processError, value, nameof(ProcessErrorAsync));
        remove => _processError = Remove(_processError, value, nameof(ProcessErrorAsync));
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string EntityPath { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual ServiceBusReceiveMode ReceiveMode { get; }

    public virtual int PrefetchCount { get; }

    public virtual int MaxConcurrentCalls { get; }

    public virtual bool AutoCompleteMessages { get; }

    public virtual TimeSpan MaxAutoLockRenewalDuration { get; }

    public virtual bool IsProcessing => _stopping is not null && !_pumps.IsCompleted;

    public virtual bool IsClosed { get; private set; }

    /// <exception cref="InvalidOperationException">A handler is missing or the processor already runs.</exception>
    public virtual async Task StartProcessingAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsClosed || _connection.IsClosed, this);
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (_stopping is not null)
                throw new InvalidOperationException("The processor already runs.");
            if (_processMessage is null || _processError is null)
            {
                var missing = _processMessage is null ? nameof(ProcessMessageAsync) : nameof(ProcessErrorAsync);
                throw new InvalidOperationException($"The processor needs a handler for {missing} before it starts.");
            }

            var stop = new CancellationTokenSource();
            _pumps = StartPumps(stop.Token);
            _stopping = stop;
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>
    /// Takes no further message and returns when the running handlers have ended, whose locks are renewed until then. What was prefetched
    /// stays buffered, for the next start or until <see cref="CloseAsync"/> gives it back.
    /// </summary>
    /// <param name="cancellationToken">Before the stop has begun: the processor goes on. Later it has no effect, and handlers
    /// are waited for.</param>
    public virtual async Task StopProcessingAsync(CancellationToken cancellationToken = default)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (_stopping is null)
                return;
            cancellationToken.ThrowIfCancellationRequested();
            // What a handler has registered with its token may fail; that is no reason not to stop.
            await _stopping.CancelAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await _pumps;
            _stopping.Dispose();
            _stopping = null;
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>Stops, and gives buffered messages back to the broker.</summary>
    public virtual async Task CloseAsync(CancellationToken cancellationToken = default)
    {
        IsClosed = true;
        await StopProcessingAsync(cancellationToken);
        if (_receiver is not null)
            await _receiver.CloseAsync(cancellationToken);
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

    private Task StartPumps(CancellationToken cancellationToken)
    {
        var diagnostics = new BusDiagnostics(FullyQualifiedNamespace, EntityPath);
        var pump = new MessagePump(this, _receiver, diagnostics, _connection.RetryOptions.Delay, _connection.Time);
        return Task.WhenAll(Enumerable.Range(0, MaxConcurrentCalls).Select(_ => pump.RunAsync(cancellationToken)));
    }

    private static T OnlyOne<T>(T? current, T value, string name) where T : Delegate
    {
        ArgumentNullException.ThrowIfNull(value, name);
        return current is null ? value : throw new NotSupportedException($"{name} has a handler already; there can be one only.");
    }

    private static T? Remove<T>(T? current, T value, string name) where T : Delegate =>
        Equals(current, value) ? null : throw new ArgumentException($"This handler was not added to {name}.", name);
}
