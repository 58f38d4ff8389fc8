using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking.Writing;

/// <summary>Inserts each hit by itself. Promises that it is stored: whoever is answered is in the table.</summary>
internal sealed class InsertHits(ITableServer server, CreatedTables tables, TableOutage outage, HitCounters counters) : IHitWriter
{
    public async Task WriteAsync(Hit hit)
    {
        try
        {
            await tables.EnsureAsync(hit.Table);
            await server.InsertAsync(hit, CancellationToken.None);
        }
        catch (TableServerException exception)
        {
            if (exception.Failure == TableFailure.NoTable)
                tables.Forget(hit.Table);
            throw outage.Failed(exception);
        }
        outage.Succeeded();
        counters.Answered();
        counters.Stored(1);
    }
}
