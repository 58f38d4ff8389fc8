using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Tracking.Tables;

/// <summary>
/// Stores hits of one partition by one request. While the table server is away it tries again. When the server refuses the batch, it
/// stores both halves by themselves, and so on, until the refused hit is alone, so that the others are stored. A batch that is stored
/// twice, because its answer was lost, is the same entities.
/// </summary>
/// <remarks>A request may have 4 MiB. A hundred of the longest hits that <see cref="TrackHit"/> takes have less than one.</remarks>
internal sealed class StoreBatch(HitTables tables, TimeProvider time)
{
    private static readonly TimeSpan FirstWait = TimeSpan.FromMilliseconds(50),
        LongestWait = TimeSpan.FromSeconds(2);

    /// <param name="hits">1 to 100 of one table and one partition.</param>
    /// <returns>Those that are never taken, and why. All others are stored.</returns>
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
            // One that nobody foresaw is about these hits, too, and must not end the loop that stores all others.
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
