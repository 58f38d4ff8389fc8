using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking.Writing;

/// <summary>
/// Stores hits of one partition by one request. While the table server is away it tries again. When the server refuses the batch, it
/// stores both halves by themselves, and so on, until the refused hit is alone, so that the others are stored. A batch that is stored
/// twice, because its answer was lost, is the same entities.
/// </summary>
/// <remarks>A request may have 4 MiB. A hundred of the longest hits that <see cref="TrackHit"/> takes have less than one.</remarks>
internal sealed class StoreBatch(ITableServer server, CreatedTables tables, TableOutage outage, TimeProvider time)
{
    private static readonly TimeSpan FirstWait = TimeSpan.FromMilliseconds(50), LongestWait = TimeSpan.FromSeconds(2);

    /// <param name="hits">1 to 100 of one table and one partition.</param>
    /// <param name="outcome">Told about each of them.</param>
    /// <param name="cancellationToken">Gives up; those that nobody was told about are not stored, as far as is known.</param>
    public async Task RunAsync(IReadOnlyList<Hit> hits, IHitOutcome outcome, CancellationToken cancellationToken)
    {
        var refusal = await RefusalAsync(hits, cancellationToken);
        if (refusal is null)
        {
            await outcome.StoredAsync(hits);
        }
        else if (hits.Count == 1)
        {
            await outcome.RefusedAsync(hits[0], refusal);
        }
        else
        {
            await RunAsync([.. hits.Take(hits.Count / 2)], outcome, cancellationToken);
            await RunAsync([.. hits.Skip(hits.Count / 2)], outcome, cancellationToken);
        }
    }

    /// <returns>
    /// Why they are never taken; null: they are stored. An exception that nobody foresaw is about these hits, too, and must not end the
    /// loop that stores all others.
    /// </returns>
    private async Task<string?> RefusalAsync(IReadOnlyList<Hit> hits, CancellationToken cancellationToken)
    {
        try
        {
            await TryAsync(hits, cancellationToken);
            return null;
        }
        catch (Exception exception) when (exception is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            return exception is TableServerException ? exception.Message : exception.ToString();
        }
    }

    /// <exception cref="TableServerException">It refuses them.</exception>
    private async Task TryAsync(IReadOnlyList<Hit> hits, CancellationToken cancellationToken)
    {
        for (var wait = FirstWait; ; wait = Longer(wait))
        {
            try
            {
                await tables.EnsureAsync(hits[0].Table).WaitAsync(cancellationToken);
                await server.StoreAsync(hits, cancellationToken);
                outage.Succeeded();
                return;
            }
            catch (TableServerException exception) when (exception.Failure != TableFailure.Refused)
            {
                if (exception.Failure == TableFailure.NoTable)
                    tables.Forget(hits[0].Table);
                outage.Failed(exception);
            }
            await Task.Delay(wait, time, cancellationToken);
        }
    }

    private static TimeSpan Longer(TimeSpan wait) => wait * 2 < LongestWait ? wait * 2 : LongestWait;
}
