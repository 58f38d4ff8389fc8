namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Hands messages to a handler, at most <see cref="MaxConcurrentCalls"/> at a time, renews their locks meanwhile and settles
/// them afterwards.
/// </summary>
public class ServiceBusProcessor : IAsyncDisposable
{
    private readonly BusConnection connection = null!;
    private readonly ServiceBusReceiver receiver = null!;
    private readonly SemaphoreSlim gate = new(1);
    private Func<ProcessMessageEventArgs, Task>? processMessage;
    private Func<ProcessErrorEventArgs, Task>? processError;
    private CancellationTokenSource? stopping;
    private Task pumps = Task.CompletedTask;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusProcessor()
    {
    }

    internal ServiceBusProcessor(BusConnection connection, string entityPath, ServiceBusProcessorOptions options)
    {
        this.connection = connection;
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
        receiver = new ServiceBusReceiver(connection, EntityPath, receiverOptions, isProcessor: true);
    }

    /// <summary>The handler of a message: one only, set before the start.</summary>
    public event Func<ProcessMessageEventArgs, Task> ProcessMessageAsync
    {
        add => processMessage = OnlyOne(processMessage, value, nameof(ProcessMessageAsync));
        remove => processMessage = Remove(processMessage, value, nameof(ProcessMessageAsync));
    }

    /// <summary>Told of every error, one only, set before the start. The processor goes on whatever it does.</summary>
    public event Func<ProcessErrorEventArgs, Task> ProcessErrorAsync
    {
        add => processError = OnlyOne(processError, value, nameof(ProcessErrorAsync));
        remove => processError = Remove(processError, value, nameof(ProcessErrorAsync));
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string EntityPath { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual ServiceBusReceiveMode ReceiveMode { get; }

    public virtual int PrefetchCount { get; }

    public virtual int MaxConcurrentCalls { get; }

    public virtual bool AutoCompleteMessages { get; }

    public virtual TimeSpan MaxAutoLockRenewalDuration { get; }

    public virtual bool IsProcessing => stopping is not null && !pumps.IsCompleted;

    public virtual bool IsClosed { get; private set; }

    /// <exception cref="InvalidOperationException">A handler is missing or the processor already runs.</exception>
    public virtual async Task StartProcessingAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsClosed || connection.IsClosed, this);
        await gate.WaitAsync(cancellationToken);
        try
        {
            if (stopping is not null)
                throw new InvalidOperationException("The processor already runs.");
            if (processMessage is null || processError is null)
            {
                var missing = processMessage is null ? nameof(ProcessMessageAsync) : nameof(ProcessErrorAsync);
                throw new InvalidOperationException($"The processor needs a handler for {missing} before it starts.");
            }

            var stop = new CancellationTokenSource();
            pumps = StartPumps(stop.Token);
            stopping = stop;
        }
        finally
        {
            gate.Release();
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
        await gate.WaitAsync(cancellationToken);
        try
        {
            if (stopping is null)
                return;
            cancellationToken.ThrowIfCancellationRequested();
            // What a handler has registered with its token may fail; that is no reason not to stop.
            await stopping.CancelAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await pumps;
            stopping.Dispose();
            stopping = null;
        }
        finally
        {
            gate.Release();
        }
    }

    /// <summary>Stops, and gives buffered messages back to the broker.</summary>
    public virtual async Task CloseAsync(CancellationToken cancellationToken = default)
    {
        IsClosed = true;
        await StopProcessingAsync(cancellationToken);
        if (receiver is not null)
            await receiver.CloseAsync(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Calls the message handler; tests of handlers call it too.</summary>
    protected internal virtual Task OnProcessMessageAsync(ProcessMessageEventArgs args) =>
        processMessage?.Invoke(args) ?? Task.CompletedTask;

    protected internal virtual Task OnProcessErrorAsync(ProcessErrorEventArgs args) => processError?.Invoke(args) ?? Task.CompletedTask;

    private Task StartPumps(CancellationToken cancellationToken)
    {
        var diagnostics = new BusDiagnostics(FullyQualifiedNamespace, EntityPath);
        var pump = new MessagePump(this, receiver, diagnostics, connection.RetryOptions.Delay, connection.Time);
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
