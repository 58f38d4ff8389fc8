using System.Net;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Load;

/// <summary>Counts responses and their latencies. Thread-safe.</summary>
internal sealed class ResponseTally
{
    private readonly List<double> _milliseconds = [];
    private long _sent,
        _accepted,
        _serverErrors,
        _failed,
        _dropped;

    public long Accepted => Interlocked.Read(ref _accepted);

    public void Sent() => Interlocked.Increment(ref _sent);

    /// <summary>Counts a request that wasn't sent because too many are pending.</summary>
    public void Dropped() => Interlocked.Increment(ref _dropped);

    public void Answered(HttpStatusCode? status, TimeSpan after)
    {
        Interlocked.Increment(
            ref status == HttpStatusCode.Accepted
                ? ref _accepted
                : ref status >= HttpStatusCode.InternalServerError ? ref _serverErrors : ref _failed
        );
        lock (_milliseconds)
            _milliseconds.Add(after.TotalMilliseconds);
    }

    public LoadResult ToResult(string driver, DateTimeOffset startedAt)
    {
        lock (_milliseconds)
        {
            var times = Percentiles.Of(_milliseconds);
            return new(
                driver,
                startedAt,
                _sent,
                _accepted,
                _serverErrors,
                _failed,
                _dropped,
                times.P50,
                times.P95,
                times.P99
            );
        }
    }
}
