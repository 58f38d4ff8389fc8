namespace DroneDelivery.Model.Simulation.Nodes;

/// <summary>
/// The CPU of a node: one server per vCPU, first come, first served. It needs no events, because the end of a hold is known when it
/// arrives. The system's job queues at a fixed interval like any other, so a late response takes nothing from the capacity. Times are ticks
/// of 100 ns and must not decrease from call to call. Not thread-safe.
/// </summary>
public sealed class Node
{
    private readonly long[] _freeAt;
    private readonly long _job,
        _every;
    private long _nextJob;
    private long _spent;

    /// <param name="phase">The delay of the system's first job, which differs between nodes.</param>
    public Node(NodeSetting setting, long start, long phase)
    {
        _freeAt = new long[setting.VCpu];
        Array.Fill(_freeAt, start);
        (_job, _every) = (
            Time.FromMilliseconds(setting.SystemJobMilliseconds),
            Time.FromMilliseconds(setting.SystemEveryMilliseconds)
        );
        _nextJob = start + phase;
    }

    public long Hold(long now, long cost)
    {
        TakeJobs(now);
        return Take(now, cost);
    }

    /// <summary>Returns the CPU time used so far, without reservations for later.</summary>
    public long SpentUntil(long now)
    {
        TakeJobs(now);
        return _spent - _freeAt.Sum(freeAt => Math.Max(0, freeAt - now));
    }

    private long Take(long arrival, long cost)
    {
        var earliest = 0;
        for (var i = 1; i < _freeAt.Length; i++)
        {
            if (_freeAt[i] < _freeAt[earliest])
                earliest = i;
        }

        _spent += cost;
        return _freeAt[earliest] = Math.Max(_freeAt[earliest], arrival) + cost;
    }

    private void TakeJobs(long now)
    {
        for (; _job > 0 && _nextJob <= now; _nextJob += _every)
            Take(_nextJob, _job);
    }
}
