namespace DroneDelivery.Lab.Load;

/// <summary>So many journeys at a time, as long as some arrive. When none arrives any more, each further one goes without.</summary>
/// <param name="stalled">Without an arrival for so long, nobody waits for a place.</param>
internal sealed class Places(int count, TimeSpan stalled, TimeProvider clock) : IDisposable
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(100);
    private readonly SemaphoreSlim _free = new(count);
    private long _lastArrival = clock.GetTimestamp();

    private bool IsStalled => clock.GetElapsedTime(Interlocked.Read(ref _lastArrival)) > stalled;

    public async Task<Place> TakeAsync(CancellationToken cancellationToken)
    {
        while (!IsStalled)
        {
            if (await _free.WaitAsync(Tick, cancellationToken))
                return new(this, isOne: true);
        }

        cancellationToken.ThrowIfCancellationRequested();
        return new(this, _free.Wait(0, CancellationToken.None));
    }

    public void Dispose() => _free.Dispose();

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
