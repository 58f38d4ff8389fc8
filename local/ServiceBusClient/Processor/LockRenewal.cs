namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Keeps the lock of the message that a handler works on, also while the processor stops and waits for it; messages that only wait in a
/// buffer are left alone.
/// </summary>
internal sealed class LockRenewal : IAsyncDisposable
{
    private static readonly TimeSpan LongestMargin = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan AtOnce = TimeSpan.FromMilliseconds(400);
    private readonly ServiceBusReceiver receiver;
    private readonly ServiceBusReceivedMessage message;
    private readonly TimeProvider time;
    private readonly Func<Exception, Task> onError;
    private readonly CancellationTokenSource limit;
    private readonly CancellationTokenSource stop;
    private readonly Task loop;

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
        this.receiver = receiver;
        this.message = message;
        this.time = time;
        this.onError = onError;
        limit = new CancellationTokenSource(longest, time);
        stop = CancellationTokenSource.CreateLinkedTokenSource(limit.Token);
        loop = RenewAsync(stop.Token);
    }

    /// <summary>Returns when no renewal is under way any more.</summary>
    public async ValueTask DisposeAsync()
    {
        await stop.CancelAsync();
        await loop;
        stop.Dispose();
        limit.Dispose();
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
            var error = await receiver.RenewMessageLockAsync(message, cancellationToken).FailureAsync();
            if (error is null)
                continue;
            if (cancellationToken.IsCancellationRequested || message.IsSettled || error is ObjectDisposedException)
                return;
            await onError(error);
            if (error is not ServiceBusException { IsTransient: true })
                return;
        }
    }

    /// <returns>False when there is nothing left to renew.</returns>
    private async Task<bool> IsDueAsync(CancellationToken cancellationToken)
    {
        await Task.Delay(UntilRenewal(message.LockedUntil - time.GetUtcNow()), time, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return !cancellationToken.IsCancellationRequested && !message.IsSettled;
    }
}
