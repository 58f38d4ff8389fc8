namespace Azure.Messaging.ServiceBus;

/// <summary>Loops of one kind that run side by side, as many as wanted, until all have ended.</summary>
internal sealed class LoopGroup
{
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<Loop> _running = [];
    private readonly Func<CancellationToken, Task> _run;
    private readonly CancellationToken _stopping;
    private int _wanted;
    private Exception? _failure;

    /// <param name="run">One loop; its token says that it is to end.</param>
    /// <param name="wanted">How many, at least one.</param>
    /// <param name="stopping">All are to end.</param>
    public LoopGroup(Func<CancellationToken, Task> run, int wanted, CancellationToken stopping)
    {
        _run = run;
        _stopping = stopping;
        Resize(wanted);
    }

    /// <summary>Completes with the last loop; none begins after that.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Missing loops begin at once. Those that are too many are told to end, and count until they have.</summary>
    public void Resize(int wanted)
    {
        lock (_gate)
        {
            _wanted = wanted;
            StartMissing();
            foreach (var loop in _running.Where(loop => !loop.IsDismissed).Skip(wanted))
                loop.Dismiss();
            if (_running.Count == 0)
                End();
        }
    }

    private void StartMissing()
    {
        while (_running.Count < _wanted && !_ended.Task.IsCompleted && !_stopping.IsCancellationRequested)
        {
            var loop = new Loop(_stopping);
            _running.Add(loop);
            _ = RunAsync(loop); // its end is waited for through the list
        }
    }

    private async Task RunAsync(Loop loop)
    {
        // Not inside the call that starts it, which holds the lock.
        await Task.Yield();
        var failure = await _run(loop.Token).FailureAsync();
        lock (_gate)
        {
            _failure ??= failure;
            _running.Remove(loop);
            if (loop.IsDismissed)
                StartMissing();
            if (_running.Count == 0)
                End();
        }

        await loop.DisposeAsync();
    }

    private void End()
    {
        if (_failure is null)
            _ended.TrySetResult();
        else
            _ended.TrySetException(_failure);
    }

    private sealed class Loop(CancellationToken stopping) : IAsyncDisposable
    {
        private readonly CancellationTokenSource _end = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        private Task _dismissal = Task.CompletedTask;

        public CancellationToken Token => _end.Token;

        public bool IsDismissed { get; private set; }

        /// <summary>What waits for the token goes on elsewhere: the caller holds a lock.</summary>
        public void Dismiss()
        {
            IsDismissed = true;
            _dismissal = _end.CancelAsync();
        }

        public async ValueTask DisposeAsync()
        {
            await _dismissal.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _end.Dispose();
        }
    }
}
