namespace Azure.Messaging.ServiceBus;

/// <summary>Tries an operation as <see cref="ServiceBusRetryOptions"/> says, each try within its time-out.</summary>
internal sealed class Retries(ServiceBusRetryOptions options, TimeProvider time)
{
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
            var attempt = await TryAsync(operation, state, Options.TryTimeout + extraTime, cancellationToken);
            if (await attempt.FailureAsync() is not { } error)
                return await attempt;
            if (cancellationToken.IsCancellationRequested)
                throw new TaskCanceledException("The operation was cancelled.", error, cancellationToken);
            var failure = ErrorTranslation.Translate(error, entityPath);
            if (retry == Options.MaxRetries || failure is not ServiceBusException { IsTransient: true })
                throw Rethrown(failure, error);

            await Task.Delay(DelayBefore(retry + 1), Time, cancellationToken);
        }
    }

    /// <param name="retry">1 for the first retry.</param>
    internal TimeSpan DelayBefore(int retry)
    {
        var factor = Options.Mode == ServiceBusRetryMode.Fixed ? 1 : Math.Pow(2, retry - 1);
        var seconds = Math.Min(Options.Delay.TotalSeconds * factor, Options.MaxDelay.TotalSeconds);
        return TimeSpan.FromSeconds(seconds);
    }

    /// <returns>The try, which is over.</returns>
    private async Task<Task<T>> TryAsync<TState, T>(
        Func<TState, CancellationToken, Task<T>> operation,
        TState state,
        TimeSpan time,
        CancellationToken cancellationToken)
    {
        using var timeout = new CancellationTokenSource(time, Time);
        using var either = cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken)
            : null;
        var attempt = operation(state, either?.Token ?? timeout.Token);
        return await attempt.FailureAsync() is OperationCanceledException late && timeout.IsCancellationRequested && !cancellationToken.IsCancellationRequested
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
