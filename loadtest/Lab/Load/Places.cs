namespace DroneDelivery.Lab.Load;

/// <summary>So many journeys at a time, as long as some arrive. When none arrives any more, each further one goes without.</summary>
/// <param name="stalled">Without an arrival for so long, nobody waits for a place.</param>
internal sealed class Places(int count, TimeSpan stalled, TimeProvider clock) : IDisposable
{
    private readonly SemaphoreSlim _free = new(count);
    private long _lastArrival = clock.GetTimestamp();

    private TimeSpan UntilStalled => stalled - clock.GetElapsedTime(Interlocked.Read(ref _lastArrival));

    public async Task<Place> TakeAsync(CancellationToken cancellationToken)
    {
        while (UntilStalled is { Ticks: > 0 } limit)
        {
            if (await TryTakeAsync(limit, cancellationToken))
                return new(this, isOne: true);
        }

        cancellationToken.ThrowIfCancellationRequested();
        return new(this, _free.Wait(0, CancellationToken.None));
    }

    public void Dispose() => _free.Dispose();

    /// <returns><c>false</c> if no place became free within the limit, which an arrival in the meantime extends.</returns>
    private async Task<bool> TryTakeAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        using var timeout = new CancellationTokenSource(limit, clock);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
        try
        {
            await _free.WaitAsync(both.Token);
            return true;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    private void Leave(bool isOne, bool arrived)
    {
        if (arrived)
            Interlocked.Exchange(ref _lastArrival, clock.GetTimestamp());
        if (isOne)
            _free.Release();
    }

    internal readonly struct Place(Places places, bool isOne)
    {
        public void Leave(bool arrived) => places.Leave(isOne, arrived);
    }
}
