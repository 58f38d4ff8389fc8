using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// The CPU of one node: as many servers as it has vCPUs, first come, first served. Nothing runs on it; a hold is answered when the
/// arithmetic says that a server would have done it. An answer that goes out late therefore takes nothing from the capacity: the next
/// hold in the queue begins where the one before was due to end, not where it was answered. Not thread-safe. Times count from the
/// start of the lab's clock, and must not decrease from call to call.
/// </summary>
internal sealed class VirtualNode
{
    private readonly TimeSpan[] _freeAt;
    private readonly TimeSpan _systemJob, _systemEvery;
    private TimeSpan _nextSystemJob;
    private TimeSpan _spent;

    /// <param name="vCpu">Servers.</param>
    /// <param name="system">The system's own work.</param>
    /// <param name="start">When the node is switched on, idle.</param>
    /// <param name="phase">From then to the first job of the system, so that the nodes' jobs do not all come at once.</param>
    public VirtualNode(int vCpu, SystemShare system, TimeSpan start, TimeSpan phase)
    {
        _freeAt = new TimeSpan[vCpu];
        Array.Fill(_freeAt, start);
        _systemJob = TimeSpan.FromMilliseconds(system.JobMilliseconds);
        _systemEvery = TimeSpan.FromMilliseconds(system.EveryMilliseconds);
        _nextSystemJob = start + phase;
    }

    /// <summary>Takes a hold into the queue.</summary>
    /// <returns>When it is over.</returns>
    public TimeSpan Hold(TimeSpan now, TimeSpan cost)
    {
        TakeSystemJobs(now);
        return Take(now, cost);
    }

    /// <summary>CPU time spent until now, all servers together, system included. Exact: what is promised for later is not in it.</summary>
    public TimeSpan SpentUntil(TimeSpan now)
    {
        TakeSystemJobs(now);
        // A server that is free later than now is busy all the way until then: each hold began when the one before it ended.
        var promised = TimeSpan.Zero;
        foreach (var freeAt in _freeAt)
            promised += freeAt > now ? freeAt - now : TimeSpan.Zero;
        return _spent - promised;
    }

    private TimeSpan Take(TimeSpan arrival, TimeSpan cost)
    {
        ref var server = ref _freeAt[EarliestFree()];
        server = (server > arrival ? server : arrival) + cost;
        _spent += cost;
        return server;
    }

    private int EarliestFree()
    {
        var earliest = 0;
        for (var i = 1; i < _freeAt.Length; i++)
        {
            if (_freeAt[i] < _freeAt[earliest])
                earliest = i;
        }

        return earliest;
    }

    // They need no timer: nobody sees them before the next hold or reading.
    private void TakeSystemJobs(TimeSpan now)
    {
        for (; _systemJob > TimeSpan.Zero && _nextSystemJob <= now; _nextSystemJob += _systemEvery)
            Take(_nextSystemJob, _systemJob);
    }
}
