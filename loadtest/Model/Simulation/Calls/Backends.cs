using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Model.Simulation.Calls;

/// <summary>The back ends as Workflow sees them: a call takes its latency, or longer if the node is busy.</summary>
internal sealed class Backends
{
    private readonly Cluster _cluster;
    private readonly Cluster.Placed[] _services;
    private readonly Cache _cache;
    private readonly RandomSource _random;
    private readonly CallSetting _calls;
    private readonly long _attemptTimeout,
        _totalTimeout;
    private readonly long[] _pauses;
    private readonly int[] _turns;
    private readonly Breaker?[] _breakers;
    private readonly double[] _slowness,
        _errors;

    public Backends(Setting setting, Cluster cluster, Cache cache, RandomSource random)
    {
        var workflows = setting.Workflow.Nodes.Count;
        (_services, _cluster, _cache, _random, _calls) = (cluster.Backends, cluster, cache, random, setting.Calls);
        (_attemptTimeout, _totalTimeout) = (
            Time.FromSeconds(_calls.AttemptTimeoutSeconds),
            Time.FromSeconds(_calls.TotalTimeoutSeconds)
        );
        _pauses = [.. _calls.RetrySeconds.Select(Time.FromSeconds)];
        // A Workflow starts its round robin at a random replica, the same for each back end.
        _turns = [.. Enumerable.Range(0, workflows).SelectMany(_ => Enumerable.Repeat(random.NextIndex(1000), Count))];
        _breakers = [.. _turns.Select(_ => _calls.BreakerRatio > 0 ? new Breaker(_calls) : null)];
        (_slowness, _errors) = (new double[Count], new double[Count]);
        Array.Fill(_slowness, 1);
    }

    public int Count => _services.Length;

    public Breaker? BreakerOf(int workflow, int backend) => _breakers[workflow * Count + backend];

    /// <summary>Returns the circuits of a Workflow that aren't closed.</summary>
    public IEnumerable<Breaker> GetOpenCircuits(int workflow) =>
        _breakers.Skip(workflow * Count).Take(Count).OfType<Breaker>().Where(breaker => !breaker.IsClosed);

    public void Forget(int workflow)
    {
        for (var i = workflow * Count; i < (workflow + 1) * Count; i++)
            _breakers[i] = _breakers[i] is null ? null : new(_calls);
    }

    /// <summary>Multiplies the response time of a back end.</summary>
    public void Slow(int backend, double factor) => _slowness[backend] = factor;

    public void Fail(int backend, double share) => _errors[backend] = share;

    /// <summary>Error responses, except those caused by a full cache.</summary>
    public long Errors { get; private set; }

    /// <returns>The end of the attempt, whether it fails, and the called replica.</returns>
    public (long End, bool Fails, int Replica) Call(int workflow, int backend, long callBegan, long now)
    {
        var service = _services[backend];
        ref var turn = ref _turns[workflow * Count + backend];
        var replica = service.Next(turn++);
        if (replica < 0)
            return (now, true, replica);
        var worked = _cluster.Hold(service, replica, now);
        var answered = service.Latency is { } latency
            ? Math.Max(worked, now + Time.FromMilliseconds(_slowness[backend] * _random.Next(latency)))
            : now + (long)((worked - now) * _slowness[backend]);
        var isError = _errors[backend] > 0 && _random.NextUniform() < _errors[backend];
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

    /// <summary>Processes a call. Returns <c>false</c> if it fails.</summary>
    public bool Answers(int backend, int message) => backend < Count - 1 || _cache.Store(message);

    /// <returns><c>null</c> if there is no further attempt.</returns>
    public long? PauseAfter(int attempt, long callBegan, long now)
    {
        if (attempt >= _pauses.Length)
            return null;
        var pause =
            _calls.RetryJitter == 0
                ? _pauses[attempt]
                : (long)(_pauses[attempt] * (1 + _calls.RetryJitter * (2 * _random.NextUniform() - 1)));
        return now - callBegan + pause < _totalTimeout ? pause : null;
    }
}
