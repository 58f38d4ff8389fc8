using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Tracking.Tables;

/// <summary>
/// Stores hits of one partition with one request. Retries while the table server is unavailable. If the server rejects the batch, splits it
/// recursively until the rejected hit is alone, so that the others are stored. Batches are idempotent.
/// </summary>
/// <remarks>A request can have 4 MiB. A hundred of the longest hits have less than 1 MiB.</remarks>
internal sealed class StoreBatch(HitTables tables, TimeProvider time)
{
    private static readonly TimeSpan FirstWait = TimeSpan.FromMilliseconds(50),
        LongestWait = TimeSpan.FromSeconds(2);

    /// <param name="hits">1 to 100 hits of one table and partition.</param>
    /// <returns>The rejected hits with their reasons. All others are stored.</returns>
    public async Task<IReadOnlyDictionary<Hit, string>> RunAsync(
        IReadOnlyList<Hit> hits,
        CancellationToken cancellationToken
    )
    {
        var refused = new Dictionary<Hit, string>();
        var parts = new Stack<IReadOnlyList<Hit>>([hits]);
        while (parts.TryPop(out var part))
        {
            try
            {
                await StoreAsync(part, cancellationToken);
            }
            // An unexpected exception also concerns these hits, and must not end the loop that stores others.
            catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
            {
                if (part.Count == 1)
                    refused[part[0]] = HitTables.CauseOf(exception);
                foreach (var half in part.Count > 1 ? part.Chunk((part.Count + 1) / 2) : [])
                    parts.Push(half);
            }
        }
        return refused;
    }

    private async Task StoreAsync(IReadOnlyList<Hit> hits, CancellationToken cancellationToken)
    {
        for (var wait = FirstWait; ; wait = wait * 2 < LongestWait ? wait * 2 : LongestWait)
        {
            try
            {
                await tables.StoreAsync(hits, cancellationToken);
                return;
            }
            catch (DependencyUnavailableException)
            {
                await Task.Delay(wait, time, cancellationToken);
            }
        }
    }
}
