using DroneDelivery.Model.Figures;
using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;
using DroneDelivery.Model.Simulation.Queue;
using DroneDelivery.Model.Simulation.Users;
using DroneDelivery.Model.Simulation.Workflow;

namespace DroneDelivery.Model.Simulation;

/// <summary>A discrete-event simulation of the application: no clock, no threads, no I/O. The same seed gives the same figures.</summary>
public sealed class Simulator
{
    private readonly Setting _setting;
    private readonly Timeline _timeline = new();
    private readonly LockEnds _locks;
    private readonly MessageQueue _queue;
    private readonly Cluster _cluster;
    private readonly Cache _cache;
    private readonly Backends _backends;
    private readonly Handlers _handlers;
    private readonly Faults _faults;
    private readonly Crowd _crowd;
    private readonly ISimulationLog? _log;
    private readonly SimulationLimits _limits;
    private readonly List<Sample> _samples = [];
    private readonly double _mostSeconds;
    private readonly int _mostNodes;
    private long _events;
    private bool _isOver;

    private Simulator(Setting setting, int seed, SimulationLimits limits, ISimulationLog? log)
    {
        (_setting, _limits, _log) = (setting, limits, log);
        var chance = new Chance(seed);
        _locks = new(Time.FromSeconds(setting.Queue.LockSeconds));
        _queue = new(setting.Queue, _locks);
        _cluster = new(setting, chance);
        _cache = new(setting.CacheFits);
        var workflows = setting.Rescalings.Select(it => it.Workflow.Count).Append(setting.Workflow.Nodes.Count).Max();
        _backends = new(setting, workflows, _cluster, _cache, chance);
        _handlers = new(setting, workflows, _cluster, _backends, _queue, _timeline, chance, log);
        _mostNodes = setting.Rescalings.Select(it => it.Nodes).Append(setting.Nodes.Count).Max();
        _mostSeconds = setting.Users.DurationSeconds + setting.ObserveSeconds;
        _timeline.Plan(Time.FromSeconds(setting.WorkflowStartsAfterSeconds), EventKind.Open);
        _crowd = new(setting.Users, _cluster, _timeline, chance, seed);
        foreach (var (index, rescaling) in setting.Rescalings.Index())
            _timeline.Plan(Time.FromSeconds(rescaling.AtSeconds), EventKind.Rescale, index);
        _faults = new(setting.Faults, _cluster, _backends, _cache, _handlers, _timeline);
        _timeline.Plan(0, EventKind.Sample);
    }

    /// <param name="setting">What is simulated.</param>
    /// <param name="seed">Of chance.</param>
    /// <param name="limits">Where it is given up.</param>
    /// <exception cref="TooManyEventsException">It came to its limit.</exception>
    public static Trace Run(Setting setting, int seed = 1, SimulationLimits limits = default) => Run(setting, seed, log: null, limits);

    /// <param name="log">Is told what happens to each message.</param>
    internal static Trace Run(Setting setting, int seed, ISimulationLog? log, SimulationLimits limits = default) =>
        new Simulator(setting, seed, limits, log).Play();

    private Trace Play()
    {
        while (!_isOver)
            Step();
        var observedUntil = Time.Seconds(_timeline.Now);
        _handlers.Open(workflows: 0);
        // What is under way ends; nothing new begins.
        while (_handlers.Busy > 0 || _crowd.Waiting > 0)
            Step();
        _samples.Add(Read());
        return new()
        {
            Samples = _samples,
            ObservedUntil = observedUntil,
            Accepted = _crowd.Accepted,
            Failed = _crowd.Failed,
            Process = (_handlers.Times.Mean, _handlers.Times.Percentile(0.5), _handlers.Times.Percentile(0.95)),
            Ages = _handlers.Ages,
            Events = _timeline.Planned,
        };
    }

    /// <summary>A lock that ends at the moment of another event ends before it.</summary>
    private void Step()
    {
        _limits.Check(++_events);
        if (_locks.NextAt <= _timeline.NextAt)
            EndLock();
        else
            Happen(_timeline.Take());
    }

    /// <summary>Nearly all events are of the first kinds.</summary>
    private void Happen(in Event it)
    {
        switch (it.Kind)
        {
            case EventKind.Call:
                _handlers.ContinueCall(it.Who, it.What);
                break;
            case EventKind.Handler:
                _handlers.Continue(it.Who, it.What);
                break;
            case EventKind.Send:
                _crowd.Send(it.Who);
                break;
            case EventKind.Accept:
                Accept(it.Who, it.What);
                break;
            case EventKind.LockEnd:
                EndLock(new(it.Who, it.What));
                break;
            default:
                HappenToWorkflow(it);
                break;
        }
    }

    private void HappenToWorkflow(in Event it)
    {
        switch (it.Kind)
        {
            case EventKind.Open:
                _handlers.Open(_cluster.Workflow.NodeOf.Length);
                break;
            case EventKind.Ask:
                _handlers.Ask(it.Who, it.What, _isOver);
                break;
            case EventKind.Copy:
                _queue.Arrive(_timeline.Now);
                _handlers.Receivers.Dispatch();
                break;
            default:
                HappenFromOutside(it);
                break;
        }
    }

    private void HappenFromOutside(in Event it)
    {
        switch (it.Kind)
        {
            case EventKind.Rescale:
                Rescale(_setting.Rescalings[it.Who]);
                break;
            case EventKind.Fault:
                _faults.Begin(it.Who);
                break;
            case EventKind.Repair:
                _faults.End(it.Who, _isOver);
                break;
            default:
                Sample();
                break;
        }
    }

    private void Accept(int user, int replica)
    {
        if (_crowd.IsGone(replica))
        {
            _crowd.End(user, isAccepted: false);
            return;
        }

        if (_faults.PausedUntil > _timeline.Now)
        {
            // The broker has to acknowledge the message first.
            _timeline.Plan(_faults.PausedUntil, EventKind.Accept, user, replica);
            return;
        }

        var message = _queue.Arrive(_timeline.Now);
        _log?.Arrived(_timeline.Now, message);
        _crowd.End(user, isAccepted: true);
        _handlers.Receivers.Dispatch();
    }

    private void EndLock()
    {
        var (at, message, token) = _locks.Take();
        _timeline.Advance(at);
        EndLock(new(message, token));
    }

    private void EndLock(Delivery delivery)
    {
        if (!_queue.IsLocked(delivery))
            return;
        if (_handlers.LockEnd(delivery.Message) is var end && end > _timeline.Now)
        {
            _timeline.Plan(end, EventKind.LockEnd, delivery.Message, delivery.Token);
            return;
        }

        _log?.LockEnded(_timeline.Now, delivery.Message);
        _queue.Expire(delivery.Message);
        _handlers.Receivers.Dispatch();
    }

    private void Rescale(Rescaling rescaling)
    {
        if (_isOver)
            return;
        _cluster.Apply(rescaling, _timeline.Now);
        _handlers.Open(rescaling.Workflow.Count);
    }

    private void Sample()
    {
        _samples.Add(Read());
        var now = Time.Seconds(_timeline.Now);
        var isEmpty = _setting.UntilEmpty && _queue.Active + _queue.Locked == 0;
        _isOver = now >= _mostSeconds || (isEmpty && now >= _setting.Users.DurationSeconds);
        if (!_isOver)
            _timeline.Plan(Time.FromSeconds(Math.Min(now + _setting.SampleSeconds, _mostSeconds)), EventKind.Sample);
    }

    private Sample Read() => new(Time.Seconds(_timeline.Now), Count(), _cache.Failures + _backends.Errors, _cache.Failures)
    {
        NodesBusy = [.. Enumerable.Range(0, _mostNodes).Select(node => node < _cluster.Nodes ? _cluster.Busy(node, _timeline.Now) : 0)],
    };

    private QueueCounters Count()
    {
        var counters = _queue.Counters;
        return QueueCounters.Zero with
        {
            Incoming = counters.Incoming,
            Outgoing = counters.Outgoing,
            Redelivered = counters.Redelivered,
            Completed = counters.Completed,
            Abandoned = counters.Abandoned,
            DeadLettered = counters.DeadLettered,
            LockLost = counters.LateCompletes + counters.LateDeadLetters + counters.LateAbandons + counters.LateRenewals,
            LateCompletes = counters.LateCompletes,
            LateDeadLetters = counters.LateDeadLetters,
            ExpiredLocks = counters.ExpiredLocks,
            Active = _queue.Active,
            Locked = _queue.Locked,
            DeadLetter = counters.DeadLettered,
            Links = [new(Credit: 0, Unsettled: 0, _handlers.Receivers.MostHeld)],
        };
    }
}
