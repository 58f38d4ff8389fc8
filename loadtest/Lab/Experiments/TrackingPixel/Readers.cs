using System.Diagnostics;
using System.Net;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Readers of mails: each fetches its next pixel when it has the last one, over a connection of its own that stays open.</summary>
internal sealed class Readers(HttpMessageInvoker http, Uri tracking)
{
    private int _sent;

    /// <param name="readers">At the same time.</param>
    /// <param name="table">For their hits.</param>
    /// <param name="accounts">The hits go to so many in turn; each account is a partition of the table.</param>
    /// <param name="length">From the first hit; the last ones are waited for.</param>
    public async Task<ClosedLoad> RunAsync(int readers, string table, int accounts, TimeSpan length, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        var each = await Task.WhenAll(Enumerable.Range(0, readers).Select(_ => RunOneAsync(table, accounts, length, cancellationToken)));
        return ClosedLoad.OfEach(each, Stopwatch.GetElapsedTime(start).TotalSeconds);
    }

    private async Task<ClosedLoad> RunOneAsync(string table, int accounts, TimeSpan length, CancellationToken cancellationToken)
    {
        var milliseconds = new List<double>();
        var failed = 0;
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < length)
        {
            var sent = Stopwatch.GetTimestamp();
            failed += await IsAnsweredAsync(table, Interlocked.Increment(ref _sent) % accounts, cancellationToken) ? 0 : 1;
            milliseconds.Add(Stopwatch.GetElapsedTime(sent).TotalMilliseconds);
        }

        return new(1, Stopwatch.GetElapsedTime(start).TotalSeconds, milliseconds, failed);
    }

    private async Task<bool> IsAnsweredAsync(string table, int account, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(tracking, $"track/{table}?account=user{account}"));
        request.Headers.TryAddWithoutValidation("Cookie", "trackingId=reader");
        using var response = await http.SendAsync(request, cancellationToken);
        // The connection is free for the next one when the answer has been read.
        await response.Content.CopyToAsync(Stream.Null, cancellationToken);
        return response.StatusCode == HttpStatusCode.OK;
    }
}
