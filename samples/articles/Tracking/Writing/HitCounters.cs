namespace DroneDelivery.Tracking.Writing;

/// <summary>Numbers of hits since the start of the process.</summary>
/// <param name="Answered">Hits for which the pixel was returned.</param>
/// <param name="Stored">Hits in the table.</param>
/// <param name="Lost">Hits that were acknowledged but will not be stored.</param>
/// <param name="Waiting">Hits in the buffer.</param>
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

    /// <param name="hits">The change of the number of buffered hits.</param>
    public void Waiting(int hits) => Interlocked.Add(ref _waiting, hits);

    public HitCounts Read() =>
        new(
            Interlocked.Read(ref _answered),
            Interlocked.Read(ref _stored),
            Interlocked.Read(ref _lost),
            Interlocked.Read(ref _waiting)
        );
}
