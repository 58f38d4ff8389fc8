namespace Azure.Messaging.ServiceBus;

/// <summary>Tells a handler once, while it runs, that the lock under which it works has ended: by the clock, or because the broker said
/// so.</summary>
internal sealed class LockWatch : IAsyncDisposable
{
    // Timers end at 49.7 days.
    private static readonly TimeSpan LongestWait = TimeSpan.FromDays(49);
    private readonly CancellationTokenSource _over = new();
    private readonly TimeProvider _time;
    private readonly Func<DateTimeOffset> _lockedUntil;
    private readonly Task<Exception> _loss;
    private readonly Func<Exception?, Task> _tell;
    private readonly Task _watching;

    /// <param name="time">Clock.</param>
    /// <param name="lockedUntil">Renewals move it.</param>
    /// <param name="loss">Completes when the broker says so.</param>
    /// <param name="tell">Gets what the broker said; null when it was the clock.</param>
    public LockWatch(TimeProvider time, Func<DateTimeOffset> lockedUntil, Task<Exception> loss, Func<Exception?, Task> tell)
    {
        _time = time;
        _lockedUntil = lockedUntil;
        _loss = loss;
        _tell = tell;
        _watching = WatchAsync(_over.Token);
    }

    private TimeSpan Left => _over.IsCancellationRequested ? TimeSpan.Zero : _lockedUntil() - _time.GetUtcNow();

    /// <summary>The handler has ended. Returns when it is not being told any more.</summary>
    public async ValueTask DisposeAsync()
    {
        await _over.CancelAsync();
        try
        {
            await _watching;
        }
        finally
        {
            _over.Dispose();
        }
    }

    private async Task WatchAsync(CancellationToken cancellationToken)
    {
        // Not inside the call with which the handler asked to be told.
        await Task.Yield();
        while (Left is var left && left > TimeSpan.Zero && !_loss.IsCompleted)
            await Task.WhenAny(_loss, Task.Delay(left < LongestWait ? left : LongestWait, _time, cancellationToken));
        if (!cancellationToken.IsCancellationRequested)
            await _tell(_loss.IsCompletedSuccessfully ? await _loss : null);
    }
}
