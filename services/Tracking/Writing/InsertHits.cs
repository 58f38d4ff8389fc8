using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking.Writing;

/// <summary>Inserts each hit by itself. Promises that it is stored: whoever is answered is in the table.</summary>
internal sealed class InsertHits(ITableServer server, CreatedTables tables, TableOutage outage, HitCounters counters) : IHitWriter
{
    public async Task WriteAsync(Hit hit)
    {
        try
        {
            await InsertAsync(hit);
        }
        catch (TableServerException exception)
        {
            throw outage.Failed(exception);
        }
        outage.Succeeded();
        counters.Answered();
        counters.Stored(1);
    }

    private async Task InsertAsync(Hit hit)
    {
        await tables.EnsureAsync(hit.Table);
        try
        {
            await server.InsertAsync(hit, CancellationToken.None);
        }
        catch (TableServerException exception) when (exception.Failure == TableFailure.NoTable)
        {
            // Somebody has deleted it, or a server that keeps nothing was started again.
            tables.Forget(hit.Table);
            await tables.EnsureAsync(hit.Table);
            await server.InsertAsync(hit, CancellationToken.None);
        }
    }
}
