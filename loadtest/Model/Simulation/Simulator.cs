using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;
using DroneDelivery.Model.Simulation.Users;
using DroneDelivery.Model.Simulation.Workflow;

namespace DroneDelivery.Model.Simulation;

/// <summary>A discrete-event simulation of the application: no clock, no threads, no I/O, the same result for the same seed.</summary>
public sealed class Simulator
{
    private readonly Setting _setting;
    private readonly Timeline _timeline = new();
    private readonly Cluster _cluster;
    private readonly Consumer _consumer;
    private readonly Faults _faults;
    private readonly UserPopulation _users;
    private readonly SimulationLimits _limits;
    private readonly double _mostSeconds;
    private long _events;
    private bool _isOver;

    private Simulator(Setting setting, int seed, SimulationLimits limits, ISimulationLog? log)
    {
        (_setting, _limits) = (setting, limits);
        var random = new RandomSource(seed);
        _cluster = new(setting, random);
        _consumer = new(new(setting, _cluster, _timeline, random, log));
        _mostSeconds = setting.Users.DurationSeconds + setting.ObserveSeconds;
        _timeline.Plan(Time.FromSeconds(setting.WorkflowStartsAfterSeconds), EventKind.Open);
        _users = new(setting.Users, _cluster, _timeline, random, seed);
        _faults = new(setting.Faults, _cluster, _consumer, _timeline);
        _timeline.Plan(0, EventKind.Sample);
    }

    public static Trace Run(Setting setting, int seed = 1, SimulationLimits limits = default) =>
        Run(setting, seed, log: null, limits);

    internal static Trace Run(Setting setting, int seed, ISimulationLog? log, SimulationLimits limits = default) =>
        new Simulator(setting, seed, limits, log).Play();

    private Trace Play()
    {
        while (!_isOver)
            Step();
        var observedUntil = Time.Seconds(_timeline.Now);
        _consumer.Handlers.Open(workflows: 0);
        // Work in progress completes; no new work starts.
        while (_consumer.Handlers.Busy > 0 || _users.Waiting > 0)
            Step();
        Read();
        var times = _consumer.Handlers.Times;
        return new()
        {
            Samples = _consumer.Samples,
            ObservedUntil = observedUntil,
            Accepted = _users.Accepted,
            Failed = _users.Failed,
            Process = (times.Mean, times.Percentile(0.5), times.Percentile(0.95)),
            Ages = _consumer.Handlers.Ages,
            Events = _timeline.Planned,
        };
    }

    /// <summary>Processes the next event. Locks that expire at the same time expire first.</summary>
    private void Step()
    {
        _limits.Check(++_events);
        if (_consumer.Locks.NextAt <= _timeline.NextAt)
            _consumer.EndLock();
        else
            Handle(_timeline.Take());
    }

    /// <summary>Handles an event; the most frequent kinds come first.</summary>
    private void Handle(in Event it)
    {
        switch (it.Kind)
        {
            case EventKind.Call:
                _consumer.Handlers.ContinueCall(it.Who, it.What);
                break;
            case EventKind.Handler:
                _consumer.Handlers.Continue(it.Who, it.What);
                break;
            case EventKind.Send:
                _users.Send(it.Who);
                break;
            case EventKind.Accept:
                Accept(it.Who, it.What);
                break;
            case EventKind.LockEnd:
                _consumer.EndLock(new(it.Who, it.What));
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
                _consumer.Handlers.Open(_cluster.Workflow.NodeOf.Length);
                break;
            case EventKind.BreakEnd:
                _consumer.Handlers.EndBreak(it.Who);
                break;
            case EventKind.Copy:
                _consumer.Arrive(_timeline.Now);
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
        if (_users.IsGone(replica))
        {
            _users.End(user, isAccepted: false);
            return;
        }

        if (_faults.PausedUntil > _timeline.Now)
        {
            // The broker must acknowledge the message first.
            _timeline.Plan(_faults.PausedUntil, EventKind.Accept, user, replica);
            return;
        }

        _users.End(user, isAccepted: true);
        _consumer.Arrive(_timeline.Now);
    }

    private void Sample()
    {
        Read();
        var now = Time.Seconds(_timeline.Now);
        var isEmpty = _setting.UntilEmpty && _consumer.Queue.Active + _consumer.Queue.Locked == 0;
        _isOver = now >= _mostSeconds || (isEmpty && now >= _setting.Users.DurationSeconds);
        if (!_isOver)
            _timeline.Plan(Time.FromSeconds(Math.Min(now + _setting.SampleSeconds, _mostSeconds)), EventKind.Sample);
    }

    private void Read()
    {
        double[] busy =
        [
            .. Enumerable.Range(0, _setting.Nodes.Count).Select(node => _cluster.Busy(node, _timeline.Now)),
        ];
        _consumer.Read(busy);
    }
}

/// <summary>The shared state of a simulation.</summary>
internal sealed record World(
    Setting Setting,
    Cluster Cluster,
    Timeline Timeline,
    RandomSource Random,
    ISimulationLog? Log
);
