namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Keeps the lock of the message that a handler works on, also while the processor stops and waits for it; messages that only wait in a
/// buffer are left alone.
/// </summary>
internal sealed class LockRenewal : IAsyncDisposable
{
    private static readonly TimeSpan LongestMargin = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan AtOnce = TimeSpan.FromMilliseconds(400);
    private readonly ServiceBusReceiver _receiver;
    private readonly ServiceBusReceivedMessage _message;
    private readonly TimeProvider _time;
    private readonly Func<Exception, Task> _onError;
    private readonly CancellationTokenSource _limit;
    private readonly CancellationTokenSource _stop;
    private readonly Task _loop;

    /// <param name="receiver">Renews.</param>
    /// <param name="message">Whose lock is kept.</param>
    /// <param name="longest">For how long; infinite: until disposed.</param>
    /// <param name="time">Clock.</param>
    /// <param name="onError">Told of a renewal that failed.</param>
    public LockRenewal(
        ServiceBusReceiver receiver,
        ServiceBusReceivedMessage message,
        TimeSpan longest,
        TimeProvider time,
        Func<Exception, Task> onError)
    {
        _receiver = receiver;
        _message = message;
        _time = time;
        _onError = onError;
        _limit = new CancellationTokenSource(longest, time);
        _stop = CancellationTokenSource.CreateLinkedTokenSource(_limit.Token);
        _loop = RenewAsync(_stop.Token);
    }

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

    private async Task RenewAsync(CancellationToken cancellationToken)
    {
        while (await IsDueAsync(cancellationToken))
        {
            var error = await _receiver.RenewMessageLockAsync(_message, cancellationToken).FailureAsync();
            if (error is null)
                continue;
            if (cancellationToken.IsCancellationRequested || _message.IsSettled || error is ObjectDisposedException)
                return;
            await _onError(error);
            if (error is not ServiceBusException { IsTransient: true })
                return;
        }
    }

    /// <returns>False when there is nothing left to renew.</returns>
    private async Task<bool> IsDueAsync(CancellationToken cancellationToken)
    {
        await Task.Delay(UntilRenewal(_message.LockedUntil - _time.GetUtcNow()), _time, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return !cancellationToken.IsCancellationRequested && !_message.IsSettled;
    }
}
