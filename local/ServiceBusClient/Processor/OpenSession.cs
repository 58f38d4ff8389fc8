namespace Azure.Messaging.ServiceBus;

/// <summary>A session that a processor has taken, until it gives it back.</summary>
internal sealed class OpenSession(ServiceBusSessionReceiver receiver) : IAsyncDisposable
{
    // Not disposed: handlers may still hold what leads here, and there is nothing to free.
    private readonly CancellationTokenSource _ending = new();
    private readonly TaskCompletionSource<Exception> _loss = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private SessionLockRenewal? _renewal;
    private volatile bool _isIdle;

    public ServiceBusSessionReceiver Receiver => receiver;

    /// <summary>No further message of the session is received: it is lost, or a handler wants it given back.</summary>
    public CancellationToken Ending => _ending.Token;

    /// <summary>Completes with what the broker said when the session was lost.</summary>
    public Task<Exception> Loss => _loss.Task;

    /// <summary>A receive got nothing in all its time.</summary>
    public bool IsIdle
    {
        get => _isIdle;
        set => _isIdle = value;
    }

    public void KeepLocked(TimeSpan longest, TimeProvider time, Func<Exception, Task> onError) =>
        _renewal = new SessionLockRenewal(receiver, longest, time, onError);

    public void Release() => _ending.Cancel();

    /// <returns>False: this was known.</returns>
    public async Task<bool> LoseAsync(Exception error)
    {
        if (!_loss.TrySetResult(error))
            return false;
        // What a handler has registered with its token may fail; the session is lost all the same.
        await _ending.CancelAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return true;
    }

    public async ValueTask DisposeAsync()
    {
        if (_renewal is not null)
            await _renewal.DisposeAsync();
        await receiver.DisposeAsync();
    }
}
