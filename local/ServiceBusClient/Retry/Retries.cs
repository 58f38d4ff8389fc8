namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Tries the operations of one sender or receiver as <see cref="ServiceBusRetryOptions"/> says, each try within its time-out.
/// </summary>
internal sealed class Retries(ServiceBusRetryOptions options, TimeProvider time, Random random)
{
    private const double Jitter = 0.08;

    // Timers end at 49.7 days.
    private static readonly TimeSpan LongestWait = TimeSpan.FromDays(49);
    private readonly Throttle _throttle = new(time);

    public ServiceBusRetryOptions Options { get; } = options;

    public TimeProvider Time { get; } = time;

    /// <param name="operation">One try; fails through its task. Its token ends with the try's time-out.</param>
    /// <param name="state">Handed to <paramref name="operation"/>.</param>
    /// <param name="entityPath">Named in exceptions.</param>
    /// <param name="cancellationToken">Ends the try and the wait for the next one.</param>
    /// <param name="extraTime">What a try may take beyond its time-out: how long a receive waits for messages.</param>
    /// <exception cref="ServiceBusException">The last try failed, or one failed in a way that another try will not mend.</exception>
    public async Task<T> RunAsync<TState, T>(
        Func<TState, CancellationToken, Task<T>> operation,
        TState state,
        string? entityPath,
        CancellationToken cancellationToken,
        TimeSpan extraTime = default)
    {
        for (var retry = 0; ; retry++)
        {
            var tryTimeout = Options.TryTimeoutOf(retry);
            var asks = await _throttle.WaitAsync(tryTimeout, cancellationToken);
            var attempt = asks
                ? await TryAsync(operation, state, tryTimeout + extraTime, cancellationToken)
                : LeftAlone<T>(entityPath);
            if (await attempt.FailureAsync() is not { } error)
                return await attempt;
            if (cancellationToken.IsCancellationRequested)
                throw new TaskCanceledException("The operation was cancelled.", error, cancellationToken);
            var failure = ErrorTranslation.Translate(error, entityPath);
            if (asks && failure is ServiceBusException { Reason: ServiceBusFailureReason.ServiceBusy })
                _throttle.OnBusy();
            if (DelayAfter(failure, retry + 1) is not { } delay)
                throw Rethrown(failure, error);

            if (asks)
                await Task.Delay(delay, Time, cancellationToken);
        }
    }

    /// <param name="retry">1 for the first retry.</param>
    internal TimeSpan DelayBefore(int retry)
    {
        var factor = Options.Mode == ServiceBusRetryMode.Fixed ? 1 : Math.Pow(2, retry);
        var seconds = Options.Delay.TotalSeconds * (factor + Jitter * NextRandom());
        var longest = Waitable(Options.MaxDelay);
        return seconds < longest.TotalSeconds ? TimeSpan.FromSeconds(seconds) : longest;
    }

    /// <returns>Null: there is no further try.</returns>
    private TimeSpan? DelayAfter(Exception failure, int attempts)
    {
        if (Options.CustomRetryPolicy is { } policy)
            return policy.CalculateRetryDelay(failure, attempts) is { } delay ? Waitable(delay) : null;
        return attempts <= Options.MaxRetries && IsTriedAgain(failure) ? DelayBefore(attempts) : null;
    }

    private static TimeSpan Waitable(TimeSpan delay) => delay < LongestWait ? delay : LongestWait;

    /// <summary>A refused token is tried again too: rights that were just given take a while to be known everywhere.</summary>
    private bool IsTriedAgain(Exception failure) =>
        Options.MaxDelay > TimeSpan.Zero && failure is (ServiceBusException { IsTransient: true } or UnauthorizedAccessException);

    private double NextRandom()
    {
        lock (random)
            return random.NextDouble();
    }

    private static Task<T> LeftAlone<T>(string? entityPath) => Task.FromException<T>(new ServiceBusException(
        "The broker said that it is busy; it was not asked again yet.", ServiceBusFailureReason.ServiceBusy, entityPath));

    /// <returns>The try, which is over.</returns>
    private async Task<Task<T>> TryAsync<TState, T>(
        Func<TState, CancellationToken, Task<T>> operation,
        TState state,
        TimeSpan time,
        CancellationToken cancellationToken)
    {
        using var end = new CancellationTokenSource(time, Time);
        await using var cancelled = cancellationToken.UnsafeRegister(static end => ((CancellationTokenSource)end!).Cancel(), end);
        var attempt = operation(state, end.Token);
        return await attempt.FailureAsync() is OperationCanceledException late
            && end.IsCancellationRequested
            && !cancellationToken.IsCancellationRequested
                ? Task.FromException<T>(new TimeoutException($"No answer within {time.TotalSeconds:0.###} s.", late))
                : attempt;
    }

    /// <summary>The original keeps its stack trace when it needed no translation.</summary>
    private static Exception Rethrown(Exception failure, Exception original)
    {
        if (ReferenceEquals(failure, original))
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(original);
        return failure;
    }
}
