namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Takes sessions, at most <see cref="MaxConcurrentSessions"/> at a time, hands their messages to a handler, and renews the locks of the
/// sessions meanwhile.
/// </summary>
public class ServiceBusSessionProcessor : IAsyncDisposable
{
    private readonly BusConnection _connection = null!;
    private readonly ServiceBusSessionReceiverOptions _receiverOptions = null!;
    private readonly SessionChoice _choice = new([]);
    private readonly SessionPumps _pumps = null!;
    private readonly ProcessorRun _run = new();
    private readonly Lock _resizing = new();
    private Func<ProcessSessionMessageEventArgs, Task>? _processMessage;
    private Func<ProcessErrorEventArgs, Task>? _processError;
    private Func<ProcessSessionEventArgs, Task>? _sessionInitializing;
    private Func<ProcessSessionEventArgs, Task>? _sessionClosing;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusSessionProcessor()
    {
    }

    internal ServiceBusSessionProcessor(BusConnection connection, string entityPath, ServiceBusSessionProcessorOptions options)
    {
        _connection = connection;
        _choice = new SessionChoice([.. options.SessionIds]);
        FullyQualifiedNamespace = connection.FullyQualifiedNamespace;
        EntityPath = entityPath;
        Identifier = options.Identifier ?? $"{EntityPath}-{Guid.NewGuid()}";
        ReceiveMode = options.ReceiveMode;
        PrefetchCount = options.PrefetchCount;
        AutoCompleteMessages = options.AutoCompleteMessages;
        MaxAutoLockRenewalDuration = options.MaxAutoLockRenewalDuration;
        SessionIdleTimeout = options.SessionIdleTimeout;
        _receiverOptions = new ServiceBusSessionReceiverOptions
        {
            ReceiveMode = ReceiveMode,
            PrefetchCount = options.PrefetchCount,
            Identifier = $"{Identifier}-Receiver",
        };
        var errors = new ErrorReports(OnProcessErrorAsync, FullyQualifiedNamespace, EntityPath, Identifier);
        var diagnostics = new BusDiagnostics(FullyQualifiedNamespace, EntityPath);
        _pumps = new SessionPumps(() => new SessionPump(this, connection, _choice, errors, diagnostics));
        UpdateConcurrency(options.MaxConcurrentSessions, options.MaxConcurrentCallsPerSession);
    }

    /// <summary>The handler of a message: one only, set before the start.</summary>
    public event Func<ProcessSessionMessageEventArgs, Task> ProcessMessageAsync
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

    /// <summary>Told of a session that was taken, ahead of its messages. One only, or none.</summary>
    public event Func<ProcessSessionEventArgs, Task> SessionInitializingAsync
    {
        add => _sessionInitializing = HandlerSlot.Add(_sessionInitializing, value, nameof(SessionInitializingAsync));
        remove => _sessionInitializing = HandlerSlot.Remove(_sessionInitializing, value, nameof(SessionInitializingAsync));
    }

    /// <summary>Told of a session that is about to be given back, or is lost, behind its messages. One only, or none.</summary>
    public event Func<ProcessSessionEventArgs, Task> SessionClosingAsync
    {
        add => _sessionClosing = HandlerSlot.Add(_sessionClosing, value, nameof(SessionClosingAsync));
        remove => _sessionClosing = HandlerSlot.Remove(_sessionClosing, value, nameof(SessionClosingAsync));
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string EntityPath { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual ServiceBusReceiveMode ReceiveMode { get; }

    public virtual int PrefetchCount { get; private set; }

    public virtual bool AutoCompleteMessages { get; }

    public virtual TimeSpan MaxAutoLockRenewalDuration { get; }

    public virtual TimeSpan? SessionIdleTimeout { get; }

    public virtual int MaxConcurrentSessions { get; private set; }

    public virtual int MaxConcurrentCallsPerSession { get; private set; }

    public virtual bool IsProcessing => _run.IsRunning;

    public virtual bool IsClosed { get; private set; }

    /// <summary>There is a place for each session that it may take.</summary>
    internal bool KeepsSessionsOpen => _choice.Count <= MaxConcurrentSessions;

    /// <exception cref="InvalidOperationException">A handler is missing or the processor already runs.</exception>
    public virtual async Task StartProcessingAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsClosed || _connection.IsClosed, this);
        await _pumps.CloseSessionsAsync(kept: _run.Loops, cancellationToken);
        await _run.StartAsync(Begin, cancellationToken);
    }

    /// <summary>Takes no further message and returns when the running handlers have ended. Sessions stay open, and their locks are renewed,
    /// for the next start or until <see cref="CloseAsync"/> gives them back.</summary>
    /// <param name="cancellationToken">Before the stop has begun: the processor goes on. Later it has no effect, and handlers
    /// are waited for.</param>
    public virtual Task StopProcessingAsync(CancellationToken cancellationToken = default) => _run.StopAsync(cancellationToken);

    /// <summary>Stops, and gives the sessions back to the broker.</summary>
    public virtual async Task CloseAsync(CancellationToken cancellationToken = default)
    {
        IsClosed = true;
        await StopProcessingAsync(cancellationToken);
        if (_pumps is not null)
            await _pumps.CloseSessionsAsync(kept: 0, cancellationToken);
    }

    /// <summary>Sets <see cref="MaxConcurrentSessions"/> and <see cref="MaxConcurrentCallsPerSession"/>, also while the processor runs.
    /// Sessions that are too many are given back when the handlers that are at work on them have ended.</summary>
    public void UpdateConcurrency(int maxConcurrentSessions, int maxConcurrentCallsPerSession)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxConcurrentSessions, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxConcurrentCallsPerSession, 1);
        lock (_resizing)
        {
            MaxConcurrentSessions = maxConcurrentSessions;
            MaxConcurrentCallsPerSession = maxConcurrentCallsPerSession;
            _run.Resize(Math.Min(maxConcurrentSessions, _choice.Count ?? int.MaxValue));
            _pumps.ForEach(pump => pump.ResizeCalls());
        }
    }

    /// <summary>Sets <see cref="PrefetchCount"/>, for the sessions that are open and for those that come.</summary>
    public void UpdatePrefetchCount(int prefetchCount)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(prefetchCount);
        PrefetchCount = prefetchCount;
        _receiverOptions.PrefetchCount = prefetchCount;
        _pumps.ForEach(pump => pump.UpdatePrefetchCount());
    }

    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Calls the message handler; tests of handlers call it too.</summary>
    protected internal virtual Task OnProcessSessionMessageAsync(ProcessSessionMessageEventArgs args) =>
        _processMessage?.Invoke(args) ?? Task.CompletedTask;

    protected internal virtual Task OnProcessErrorAsync(ProcessErrorEventArgs args) => _processError?.Invoke(args) ?? Task.CompletedTask;

    protected internal virtual Task OnSessionInitializingAsync(ProcessSessionEventArgs args) =>
        _sessionInitializing?.Invoke(args) ?? Task.CompletedTask;

    protected internal virtual Task OnSessionClosingAsync(ProcessSessionEventArgs args) =>
        _sessionClosing?.Invoke(args) ?? Task.CompletedTask;

    internal async Task<OpenSession> AcceptAsync(string? sessionId, CancellationToken cancellationToken) =>
        new(await ServiceBusSessionReceiver.AcceptAsync(
            _connection, EntityPath, sessionId, _receiverOptions, isProcessor: true, cancellationToken));

    private Func<CancellationToken, Task> Begin(CancellationToken stopping)
    {
        HandlerSlot.RequireBoth(_processMessage, _processError);
        return cancellationToken => _pumps.RunAsync(stopping, cancellationToken);
    }
}
