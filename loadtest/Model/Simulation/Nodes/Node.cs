namespace DroneDelivery.Model.Simulation.Nodes;

/// <summary>
/// The CPU of one node: as many servers as it has vCPUs, first come, first served. It needs no events: when a hold arrives, it is known
/// when it will be over. The system's own job comes at a fixed interval and queues like any other. An answer that goes out late therefore
/// takes nothing from the capacity. Times are ticks of 100 ns and must not decrease from call to call. Not thread-safe.
/// </summary>
public sealed class Node
{
    private readonly long[] _freeAt;
    private readonly long _job,
        _every;
    private long _nextJob;
    private long _spent;

    /// <param name="start">When the node is switched on, idle.</param>
    /// <param name="phase">From then to the first job of the system, so that the nodes' jobs do not all come at once.</param>
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

    /// <returns>When the hold is over.</returns>
    public long Hold(long now, long cost)
    {
        TakeJobs(now);
        return Take(now, cost);
    }

    /// <summary>CPU time spent until now, all servers together: what is promised for later is not in it.</summary>
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
