namespace DroneDelivery.Lab;

/// <summary>Repeats an action periodically until it is disposed.</summary>
/// <param name="act">Its token is canceled on disposal.</param>
internal sealed class PeriodicAction(TimeSpan period, TimeProvider clock, Func<CancellationToken, Task> act)
    : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;

    /// <param name="now">Whether to start immediately.</param>
    public PeriodicAction Start(bool now = false)
    {
        _loop = LoopAsync(now);
        return this;
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _loop;
        _stop.Dispose();
    }

    private async Task LoopAsync(bool now)
    {
        using var timer = new PeriodicTimer(period, clock);
        try
        {
            if (now)
                await act(_stop.Token);
            while (await timer.WaitForNextTickAsync(_stop.Token))
                await act(_stop.Token);
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested) { }
    }
}
