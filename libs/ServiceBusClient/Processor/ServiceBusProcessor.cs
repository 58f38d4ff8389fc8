namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Hands messages to a handler, at most <see cref="MaxConcurrentCalls"/> at a time, renews their locks meanwhile and settles them afterwards.
/// </summary>
public class ServiceBusProcessor : IAsyncDisposable
{
    private Func<ProcessMessageEventArgs, Task>? processMessage;
    private Func<ProcessErrorEventArgs, Task>? processError;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusProcessor()
    {
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

    public virtual bool IsProcessing { get; }

    public virtual bool IsClosed { get; }

    /// <exception cref="InvalidOperationException">A handler is missing or the processor already runs.</exception>
    public virtual Task StartProcessingAsync(CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <summary>Takes no further message and returns when the running handlers have ended.</summary>
    public virtual Task StopProcessingAsync(CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <summary>Stops, and gives buffered messages back to the broker.</summary>
    public virtual Task CloseAsync(CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Calls the message handler; tests of handlers call it too.</summary>
    protected internal virtual Task OnProcessMessageAsync(ProcessMessageEventArgs args) => processMessage?.Invoke(args) ?? Task.CompletedTask;

    protected internal virtual Task OnProcessErrorAsync(ProcessErrorEventArgs args) => processError?.Invoke(args) ?? Task.CompletedTask;

    private static T OnlyOne<T>(T? current, T value, string name) where T : Delegate
    {
        ArgumentNullException.ThrowIfNull(value, name);
        return current is null ? value : throw new NotSupportedException($"{name} has a handler already; there can be one only.");
    }

    private static T? Remove<T>(T? current, T value, string name) where T : Delegate =>
        Equals(current, value) ? null : throw new ArgumentException($"This handler was not added to {name}.", name);
}
