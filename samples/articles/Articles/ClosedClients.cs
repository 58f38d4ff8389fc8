using System.Diagnostics;
using System.Net;

namespace DroneDelivery.Articles;

/// <summary>Clients in one process, each of which sends its next request after a response.</summary>
/// <param name="next">Creates the request with this number, from 1.</param>
internal sealed class ClosedClients(HttpClient http, Func<long, HttpRequestMessage> next, HttpStatusCode expected)
{
    private long _sent;

    /// <param name="length">The duration from the first request. Requests in flight are completed.</param>
    public async Task<ClosedLoad> RunAsync(int clients, TimeSpan length, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        var running = new List<Task<ClosedLoad>>();
        for (var client = 0; client < clients; client++)
            running.Add(RunOneAsync(length, cancellationToken));
        var each = await Task.WhenAll(running);
        var elapsed = Stopwatch.GetElapsedTime(start);
        return ClosedLoad.OfEach(each, elapsed.TotalSeconds);
    }

    private async Task<ClosedLoad> RunOneAsync(TimeSpan length, CancellationToken cancellationToken)
    {
        var milliseconds = new List<double>();
        var failed = 0;
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < length)
        {
            var sent = Stopwatch.GetTimestamp();
            if (!await IsExpectedAsync(cancellationToken))
                failed++;
            var latency = Stopwatch.GetElapsedTime(sent);
            milliseconds.Add(latency.TotalMilliseconds);
        }

        var elapsed = Stopwatch.GetElapsedTime(start);
        return new(1, elapsed.TotalSeconds, milliseconds, failed);
    }

    private async Task<bool> IsExpectedAsync(CancellationToken cancellationToken)
    {
        using var request = next(Interlocked.Increment(ref _sent));
        using var response = await http.SendAsync(request, cancellationToken);
        return response.StatusCode == expected;
    }
}

/// <summary>The client-side measurements of a load.</summary>
/// <param name="Milliseconds">The latency of each request, including failed ones.</param>
internal sealed record ClosedLoad(int Clients, double Seconds, IReadOnlyList<double> Milliseconds, int Failed)
{
    private readonly double[] _sorted = [.. Milliseconds.Order()];

    public int Requests => Milliseconds.Count;

    public double PerSecond => Requests / Seconds;

    /// <summary>Mean number of requests in flight: throughput × latency of each client.</summary>
    public double Inside { get; init; }

    public double Percentile(double share)
    {
        var rank = (int)((_sorted.Length - 1) * share);
        return _sorted[rank];
    }

    /// <param name="seconds">The time until the last client finished.</param>
    public static ClosedLoad OfEach(IReadOnlyList<ClosedLoad> each, double seconds)
    {
        var inside = 0.0;
        foreach (var one in each)
            inside += one.Milliseconds.Sum() / 1000 / one.Seconds;
        return Of(each, each.Count, seconds, inside);
    }

    /// <summary>Combines several loads into one with all of their clients.</summary>
    public static ClosedLoad Together(IReadOnlyList<ClosedLoad> loads)
    {
        var seconds = loads.Sum(load => load.Seconds);
        var inside = loads.Average(load => load.Inside);
        return Of(loads, loads[0].Clients, seconds, inside);
    }

    private static ClosedLoad Of(IReadOnlyList<ClosedLoad> loads, int clients, double seconds, double inside)
    {
        var milliseconds = new List<double>();
        var failed = 0;
        foreach (var load in loads)
        {
            milliseconds.AddRange(load.Milliseconds);
            failed += load.Failed;
        }
        return new(clients, seconds, milliseconds, failed) { Inside = inside };
    }
}
