using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Model.Simulation.Calls;

/// <summary>The back ends as Workflow sees them: a call takes its latency, or longer if the node has not done its work by then.</summary>
internal sealed class Backends
{
    private readonly Cluster _cluster;
    private readonly Cluster.Placed[] _services;
    private readonly Cache _cache;
    private readonly Chance _chance;
    private readonly CallSetting _calls;
    private readonly long _attemptTimeout,
        _totalTimeout;
    private readonly long[] _pauses;
    private readonly int[] _turns;
    private readonly Breaker?[] _breakers;
    private readonly double[] _slowness,
        _errors;

    public Backends(Setting setting, Cluster cluster, Cache cache, Chance chance)
    {
        var workflows = setting.Workflow.Nodes.Count;
        (_services, _cluster, _cache, _chance, _calls) = (cluster.Backends, cluster, cache, chance, setting.Calls);
        (_attemptTimeout, _totalTimeout) = (
            Time.FromSeconds(_calls.AttemptTimeoutSeconds),
            Time.FromSeconds(_calls.TotalTimeoutSeconds)
        );
        _pauses = [.. _calls.RetrySeconds.Select(Time.FromSeconds)];
        // A Workflow begins with the same replica of each back end, and each Workflow with another.
        _turns = [.. Enumerable.Range(0, workflows).SelectMany(_ => Enumerable.Repeat(chance.NextIndex(1000), Count))];
        _breakers = [.. _turns.Select(_ => _calls.BreakerRatio > 0 ? new Breaker(_calls) : null)];
        (_slowness, _errors) = (new double[Count], new double[Count]);
        Array.Fill(_slowness, 1);
    }

    public int Count => _services.Length;

    public Breaker? BreakerOf(int workflow, int backend) => _breakers[workflow * Count + backend];

    /// <summary>The circuits of a Workflow that are not closed.</summary>
    public IEnumerable<Breaker> Broken(int workflow) =>
        _breakers.Skip(workflow * Count).Take(Count).OfType<Breaker>().Where(breaker => !breaker.IsClosed);

    /// <summary>A Workflow's process is gone, and what its circuits have counted.</summary>
    public void Forget(int workflow)
    {
        for (var i = workflow * Count; i < (workflow + 1) * Count; i++)
            _breakers[i] = _breakers[i] is null ? null : new(_calls);
    }

    /// <summary>From now on the latency of a back end, or the answers of one without, take so many times as long.</summary>
    public void Slow(int backend, double factor) => _slowness[backend] = factor;

    /// <summary>From now on this share of a back end's answers are errors.</summary>
    public void Fail(int backend, double share) => _errors[backend] = share;

    /// <summary>Answers that were errors, but for those of a full cache.</summary>
    public long Errors { get; private set; }

    /// <returns>When the attempt ends, whether it fails then, and whom it went to.</returns>
    public (long End, bool Fails, int Replica) Call(int workflow, int backend, long callBegan, long now)
    {
        var service = _services[backend];
        ref var turn = ref _turns[workflow * Count + backend];
        var replica = service.Next(turn++);
        if (replica < 0)
            return (now, true, replica);
        var worked = _cluster.Hold(service, replica, now);
        var answered = service.Latency is { } latency
            ? Math.Max(worked, now + Time.FromMilliseconds(_slowness[backend] * _chance.Next(latency)))
            : now + (long)((worked - now) * _slowness[backend]);
        var isError = _errors[backend] > 0 && _chance.NextUniform() < _errors[backend];
        if (backend == Count - 1 && _cache.PausedUntil > worked)
        {
            var patience = worked + _cache.Timeout;
            isError |= _cache.PausedUntil > patience;
            answered = Math.Max(answered, Math.Min(_cache.PausedUntil, patience));
        }
        var limit = Math.Min(now + _attemptTimeout, callBegan + _totalTimeout);
        if (answered > limit)
            return (limit, true, replica);
        Errors += isError ? 1 : 0;
        return (answered, isError, replica);
    }

    /// <summary>What the back end answers: false is a failure.</summary>
    public bool Answers(int backend, int message) => backend < Count - 1 || _cache.Store(message);

    /// <returns>The pause before the next attempt; null: there is none.</returns>
    /// <param name="attempt">The one that failed, from 0.</param>
    public long? PauseAfter(int attempt, long callBegan, long now)
    {
        if (attempt >= _pauses.Length)
            return null;
        var pause =
            _calls.RetryJitter == 0
                ? _pauses[attempt]
                : (long)(_pauses[attempt] * (1 + _calls.RetryJitter * (2 * _chance.NextUniform() - 1)));
        return now - callBegan + pause < _totalTimeout ? pause : null;
    }
}
