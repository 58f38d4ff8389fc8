namespace DroneDelivery.Lab;

/// <summary>Does something again and again, from now on until it is disposed.</summary>
/// <param name="act">Its token ends with it.</param>
internal sealed class Repeated(TimeSpan period, TimeProvider clock, Func<CancellationToken, Task> act)
    : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;

    /// <param name="now">Whether it begins at once, and not after the first period.</param>
    public Repeated Start(bool now = false)
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
