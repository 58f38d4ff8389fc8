namespace DroneDelivery.Tracking.Writing;

/// <summary>Hits of this process since its start.</summary>
/// <param name="Answered">With the pixel.</param>
/// <param name="Stored">In the table.</param>
/// <param name="Lost">Answered, and never to be stored.</param>
/// <param name="Waiting">In the memory of this process, to be stored.</param>
internal sealed record HitCounts(long Answered, long Stored, long Lost, long Waiting);

internal sealed class HitCounters
{
    private long _answered,
        _stored,
        _lost,
        _waiting;

    public void Answered() => Interlocked.Increment(ref _answered);

    public void Stored(int hits) => Interlocked.Add(ref _stored, hits);

    public void Lost(int hits) => Interlocked.Add(ref _lost, hits);

    /// <param name="hits">Below zero: they wait no longer.</param>
    public void Waiting(int hits) => Interlocked.Add(ref _waiting, hits);

    public HitCounts Read() =>
        new(
            Interlocked.Read(ref _answered),
            Interlocked.Read(ref _stored),
            Interlocked.Read(ref _lost),
            Interlocked.Read(ref _waiting)
        );
}
