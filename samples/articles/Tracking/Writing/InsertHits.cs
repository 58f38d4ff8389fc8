using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking.Writing;

/// <summary>Inserts each hit separately. A completed write guarantees that the hit is in the table.</summary>
internal sealed class InsertHits(HitTables tables, HitCounters counters) : IHitWriter
{
    public async Task WriteAsync(Hit hit)
    {
        await tables.InsertAsync(hit, CancellationToken.None);
        counters.Answered();
        counters.Stored(1);
    }
}
