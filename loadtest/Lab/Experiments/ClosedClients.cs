using System.Diagnostics;
using System.Net;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Clients of one process, each of which sends its next request when it has the answer.</summary>
/// <param name="next">Makes the request of this number; the first one is 1.</param>
internal sealed class ClosedClients(HttpClient http, Func<long, HttpRequestMessage> next, HttpStatusCode expected)
{
    private long _sent;

    /// <param name="clients">At the same time: as many requests as a limit of so many would let in.</param>
    /// <param name="length">From the first request; the last ones are waited for.</param>
    public async Task<ClosedLoad> RunAsync(int clients, TimeSpan length, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        var each = await Task.WhenAll(Enumerable.Range(0, clients).Select(_ => RunOneAsync(length, cancellationToken)));
        return ClosedLoad.OfEach(each, Stopwatch.GetElapsedTime(start).TotalSeconds);
    }

    private async Task<ClosedLoad> RunOneAsync(TimeSpan length, CancellationToken cancellationToken)
    {
        var milliseconds = new List<double>();
        var failed = 0;
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < length)
        {
            var sent = Stopwatch.GetTimestamp();
            failed += await IsExpectedAsync(cancellationToken) ? 0 : 1;
            milliseconds.Add(Stopwatch.GetElapsedTime(sent).TotalMilliseconds);
        }

        return new(1, Stopwatch.GetElapsedTime(start).TotalSeconds, milliseconds, failed);
    }

    private async Task<bool> IsExpectedAsync(CancellationToken cancellationToken)
    {
        using var request = next(Interlocked.Increment(ref _sent));
        using var response = await http.SendAsync(request, cancellationToken);
        return response.StatusCode == expected;
    }
}

/// <summary>What the clients saw.</summary>
/// <param name="Milliseconds">Of each request, failed ones too.</param>
internal sealed record ClosedLoad(int Clients, double Seconds, IReadOnlyList<double> Milliseconds, int Failed)
{
    private readonly double[] _sorted = [.. Milliseconds.Order()];

    public double PerSecond => Milliseconds.Count / Seconds;

    /// <summary>Requests that were on their way, in the mean: throughput × latency of each client.</summary>
    public double Inside { get; init; }

    public double Percentile(double share) => _sorted[(int)((_sorted.Length - 1) * share)];

    /// <param name="each">What each client saw, and for how long it was there.</param>
    /// <param name="seconds">Until the last one was done.</param>
    public static ClosedLoad OfEach(IReadOnlyList<ClosedLoad> each, double seconds) =>
        new(each.Count, seconds, [.. each.SelectMany(one => one.Milliseconds)], each.Sum(one => one.Failed))
        {
            Inside = each.Sum(one => one.Milliseconds.Sum() / 1000 / one.Seconds),
        };

    /// <summary>Several loads of as many clients as one.</summary>
    public static ClosedLoad Together(IReadOnlyList<ClosedLoad> loads) =>
        new(
            loads[0].Clients,
            loads.Sum(load => load.Seconds),
            [.. loads.SelectMany(load => load.Milliseconds)],
            loads.Sum(load => load.Failed)
        )
        {
            Inside = loads.Average(load => load.Inside),
        };
}
