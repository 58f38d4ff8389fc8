namespace Azure.Messaging.ServiceBus;

/// <summary>Keeps a lock while a handler works under it, also while the processor stops and waits for the handler.</summary>
internal abstract class LockRenewal : IAsyncDisposable
{
    private static readonly TimeSpan LongestMargin = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan AtOnce = TimeSpan.FromMilliseconds(400);
    private readonly TimeProvider _time;
    private readonly Func<Exception, Task> _onError;
    private readonly CancellationTokenSource _limit;
    private readonly CancellationTokenSource _stop;
    private Task _loop = Task.CompletedTask;

    /// <param name="longest">For how long; infinite: until disposed.</param>
    /// <param name="time">Clock.</param>
    /// <param name="onError">Told of a renewal that failed.</param>
    protected LockRenewal(TimeSpan longest, TimeProvider time, Func<Exception, Task> onError)
    {
        _time = time;
        _onError = onError;
        _limit = new CancellationTokenSource(longest, time);
        _stop = CancellationTokenSource.CreateLinkedTokenSource(_limit.Token);
    }

    protected abstract DateTimeOffset LockedUntil { get; }

    /// <summary>There is nothing left to lock.</summary>
    protected virtual bool IsOver => false;

    /// <summary>Returns when no renewal is under way any more.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _loop;
        _stop.Dispose();
        _limit.Dispose();
    }

    /// <summary>Half of what is left before the lock expires, but never earlier than 10 s before it does.</summary>
    internal static TimeSpan UntilRenewal(TimeSpan left)
    {
        if (left < AtOnce)
            return TimeSpan.Zero;
        var margin = left / 2;
        return left - (margin < LongestMargin ? margin : LongestMargin);
    }

    /// <summary>The last step of a constructor.</summary>
    protected void Begin() => _loop = RunAsync(_stop.Token);

    protected abstract Task RenewAsync(CancellationToken cancellationToken);

    private async Task RunAsync(CancellationToken cancellationToken)
    {
        while (await IsDueAsync(cancellationToken))
        {
            var error = await RenewAsync(cancellationToken).FailureAsync();
            if (error is null)
                continue;
            if (cancellationToken.IsCancellationRequested || IsOver || error is ObjectDisposedException)
                return;
            await _onError(error);
            if (error is not ServiceBusException { IsTransient: true })
                return;
        }
    }

    /// <returns>False when there is nothing left to renew.</returns>
    private async Task<bool> IsDueAsync(CancellationToken cancellationToken)
    {
        await Task.Delay(UntilRenewal(LockedUntil - _time.GetUtcNow()), _time, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return !cancellationToken.IsCancellationRequested && !IsOver;
    }
}
