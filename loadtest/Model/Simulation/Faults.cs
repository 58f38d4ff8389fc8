using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;
using DroneDelivery.Model.Simulation.Workflow;

namespace DroneDelivery.Model.Simulation;

internal sealed class Faults
{
    private readonly IReadOnlyList<Fault> _faults;
    private readonly Cluster _cluster;
    private readonly Backends _backends;
    private readonly Cache _cache;
    private readonly Handlers _handlers;
    private readonly Action<bool>?[] _ends;

    public Faults(IReadOnlyList<Fault> faults, Cluster cluster, Consumer consumer, Timeline timeline)
    {
        (_faults, _cluster, _backends, _cache, _handlers) = (
            faults,
            cluster,
            consumer.Backends,
            consumer.Cache,
            consumer.Handlers
        );
        _ends = new Action<bool>?[faults.Count];
        foreach (var (index, fault) in faults.Index())
        {
            if (fault.Kind is FaultKind.PauseBroker or FaultKind.PauseCache && !double.IsFinite(fault.ToSeconds))
                throw new ArgumentException("A pause has to end.", nameof(faults));
            timeline.Plan(Time.FromSeconds(fault.FromSeconds), EventKind.Fault, index);
            if (double.IsFinite(fault.ToSeconds))
                timeline.Plan(Time.FromSeconds(fault.ToSeconds), EventKind.Repair, index);
        }
    }

    /// <summary>When a paused broker resumes; in the past if it isn't paused.</summary>
    public long PausedUntil { get; private set; }

    public void Begin(int index) => _ends[index] = Begin(_faults[index]);

    /// <param name="isOver">Whether the simulation is over, so Workflow must not resume receiving.</param>
    public void End(int index, bool isOver) => _ends[index]?.Invoke(isOver);

    /// <returns>Ends the fault; its argument is whether the simulation is over.</returns>
    private Action<bool> Begin(Fault fault)
    {
        switch (fault.Kind)
        {
            case FaultKind.Kill:
                return Kill(fault);
            case FaultKind.Slow when fault.Service == Fault.Broker:
                _handlers.SlowSettlements(fault.Factor);
                return _ => _handlers.SlowSettlements(factor: 1);
            case FaultKind.Slow:
                _backends.Slow(fault.Service, fault.Factor);
                return _ => _backends.Slow(fault.Service, factor: 1);
            case FaultKind.Fail:
                _backends.Fail(fault.Service, fault.Share);
                return _ => _backends.Fail(fault.Service, share: 0);
            case FaultKind.FillCache:
                _cache.IsFull = true;
                return _ => _cache.IsFull = false;
            case FaultKind.PauseCache:
                _cache.Pause(Time.FromSeconds(fault.ToSeconds), Time.FromSeconds(fault.CacheTimeoutSeconds));
                return _ => { };
            default:
                PausedUntil = Time.FromSeconds(fault.ToSeconds);
                _handlers.Pause(PausedUntil);
                return _ => _handlers.Resume();
        }
    }

    private Action<bool> Kill(Fault fault)
    {
        if (fault.Service == Fault.Workflow)
        {
            _handlers.Kill(fault.Replica);
            return isOver =>
            {
                if (!isOver)
                    _handlers.Restart(fault.Replica);
            };
        }

        var dead = (fault.Service == Fault.Ingestion ? _cluster.Ingestion : _cluster.Backends[fault.Service]).Dead;
        dead.Add(fault.Replica);
        if (fault.Service >= 0)
            _handlers.FailCallsTo(fault.Service, fault.Replica);
        return _ => dead.Remove(fault.Replica);
    }
}
