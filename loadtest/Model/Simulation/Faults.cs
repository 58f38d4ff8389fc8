using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;
using DroneDelivery.Model.Simulation.Workflow;

namespace DroneDelivery.Model.Simulation;

/// <summary>Lets things go wrong when it is time for it.</summary>
internal sealed class Faults
{
    private readonly IReadOnlyList<Fault> _faults;
    private readonly Cluster _cluster;
    private readonly Backends _backends;
    private readonly Cache _cache;
    private readonly Handlers _handlers;

    /// <param name="consumer">Whose services go wrong.</param>
    public Faults(IReadOnlyList<Fault> faults, Cluster cluster, Consumer consumer, Timeline timeline)
    {
        (_faults, _cluster, _backends, _cache, _handlers) = (faults, cluster, consumer.Backends, consumer.Cache, consumer.Handlers);
        foreach (var (index, fault) in faults.Index())
        {
            if (fault.Kind is FaultKind.PauseBroker or FaultKind.PauseCache && !double.IsFinite(fault.ToSeconds))
                throw new ArgumentException("A pause has to end.", nameof(faults));
            timeline.Plan(Time.FromSeconds(fault.FromSeconds), EventKind.Fault, index);
            if (double.IsFinite(fault.ToSeconds))
                timeline.Plan(Time.FromSeconds(fault.ToSeconds), EventKind.Repair, index);
        }
    }

    /// <summary>When the broker goes on; in the past, if it does not stand still.</summary>
    public long PausedUntil { get; private set; }

    public void Begin(int index)
    {
        var fault = _faults[index];
        switch (fault.Kind)
        {
            case FaultKind.Kill:
                Kill(fault);
                break;
            case FaultKind.Slow:
                Slow(fault.Service, fault.Factor);
                break;
            case FaultKind.Fail:
                _backends.Fail(fault.Service, fault.Share);
                break;
            case FaultKind.FillCache:
                _cache.IsFull = true;
                break;
            case FaultKind.PauseCache:
                _cache.PausedUntil = Time.FromSeconds(fault.ToSeconds);
                break;
            default:
                PausedUntil = Time.FromSeconds(fault.ToSeconds);
                _handlers.Pause(PausedUntil);
                break;
        }
    }

    /// <param name="index">Of the fault that is over.</param>
    /// <param name="isOver">Whether the simulation is, too: nobody begins to receive then.</param>
    public void End(int index, bool isOver)
    {
        var fault = _faults[index];
        switch (fault.Kind)
        {
            case FaultKind.Kill when fault.Service == Fault.Workflow:
                if (!isOver)
                    _handlers.Restart(fault.Replica);
                break;
            case FaultKind.Kill:
                PlacedOf(fault.Service).Dead.Remove(fault.Replica);
                break;
            case FaultKind.Slow:
                Slow(fault.Service, 1);
                break;
            case FaultKind.Fail:
                _backends.Fail(fault.Service, share: 0);
                break;
            case FaultKind.FillCache:
                _cache.IsFull = false;
                break;
            case FaultKind.PauseCache:
                break;
            default:
                _handlers.Resume();
                break;
        }
    }

    private void Kill(Fault fault)
    {
        if (fault.Service == Fault.Workflow)
        {
            _handlers.Kill(fault.Replica);
            return;
        }

        PlacedOf(fault.Service).Dead.Add(fault.Replica);
        if (fault.Service >= 0)
            _handlers.FailCallsTo(fault.Service, fault.Replica);
    }

    private void Slow(int service, double factor)
    {
        if (service == Fault.Broker)
            _handlers.SlowSettlements(factor);
        else
            _backends.Slow(service, factor);
    }

    private Cluster.Placed PlacedOf(int service) => service == Fault.Ingestion ? _cluster.Ingestion : _cluster.Backends[service];
}
