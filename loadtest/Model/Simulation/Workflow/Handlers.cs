using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;
using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>
/// The handlers of every Workflow: CPU of the own node, the back ends one after the other, one settlement, and the next message. A handler
/// waits for one thing at a time, so one event each is planned.
/// </summary>
internal sealed partial class Handlers
{
    private readonly HandlingSetting _setting;
    private readonly Cluster _cluster;
    private readonly Backends _backends;
    private readonly MessageQueue _queue;
    private readonly Timeline _timeline;
    private readonly Chance _chance;
    private readonly Renewal _renewal;
    private readonly ISimulationLog? _log;
    private readonly Handler[] _handlers;
    private readonly int[] _lives;
    private readonly HashSet<int> _dead = [];
    private readonly Dictionary<int, long> _heldSince = [];
    private int _open;
    private long _pausedUntil;
    private double _slowness = 1;

    public Handlers(
        Setting setting, int workflows, Cluster cluster, Backends backends, MessageQueue queue, Timeline timeline, Chance chance,
        ISimulationLog? log)
    {
        (_setting, _cluster, _backends, _queue, _timeline, _chance, _log) =
            (setting.Handling, cluster, backends, queue, timeline, chance, log);
        _renewal = new(setting.Handling, setting.Queue, setting.Faults);
        _handlers = new Handler[workflows * setting.Handling.ConcurrentCalls];
        _lives = new int[_handlers.Length];
        Receivers = new(setting.Handling, workflows, queue, timeline, log, Begin);
    }

    private enum Step : byte
    {
        /// <summary>The node does the message's own work.</summary>
        Admission,

        /// <summary>A call is under way.</summary>
        Call,

        /// <summary>The pause before a retry.</summary>
        Pause,

        /// <summary>The pause before an abandon.</summary>
        Delay,

        /// <summary>The broker does not take the settlement yet: it stands still.</summary>
        Stalled,

        /// <summary>The broker's answer to a settlement is on its way.</summary>
        Settlement,
    }

    public Receivers Receivers { get; }

    public ProcessTimes Times { get; } = new();

    /// <summary>Handlers at work.</summary>
    public int Busy { get; private set; }

    /// <summary>What a handler waited for has come.</summary>
    /// <param name="handler">Which.</param>
    /// <param name="life">In which it waited: one that was killed waits for nothing.</param>
    public void Continue(int handler, int life)
    {
        if (life != _lives[handler])
            return;
        switch (_handlers[handler].Step)
        {
            case Step.Admission:
                BeginCall(handler, backend: 0);
                break;
            case Step.Call:
                EndAttempt(handler);
                break;
            case Step.Pause:
                Attempt(handler);
                break;
            case Step.Delay:
                Settle(handler, Queue.Settlement.Abandon, isFirst: true);
                break;
            case Step.Stalled:
                Settle(handler, _handlers[handler].Stalled, _handlers[handler].IsFirstSettlement);
                break;
            default:
                EndSettlement(handler);
                break;
        }
    }

    /// <summary>When the lock of a message ends: later than it was set, if a handler has renewed it.</summary>
    public long LockEnd(int message)
    {
        var lockedUntil = _queue.LockedUntil(message);
        var handler = _queue.HandlerOf(message);
        return handler == Delivery.InBuffer ? lockedUntil : _renewal.EndOf(_handlers[handler].Picked, lockedUntil, _timeline.Now);
    }

    private IEnumerable<int> HandlersOf(int workflow) => Enumerable.Range(workflow * _setting.ConcurrentCalls, _setting.ConcurrentCalls);

    private int WorkflowOf(int handler) => handler / _setting.ConcurrentCalls;

    private void Begin(int handler, Delivery delivery)
    {
        var now = _timeline.Now;
        _handlers[handler] = new() { IsBusy = true, Delivery = delivery, Picked = now };
        Busy++;
        _log?.Began(now, handler, delivery.Message);
        // The client does not know that a lock has ended in its buffer: it tries to renew it, and is refused.
        if (_queue.IsLocked(delivery))
            _queue.BeginHandling(delivery.Message, handler);
        else if (_renewal.IsOn)
            _queue.Counters.LateRenewals++;
        Wait(handler, Step.Admission, _cluster.Hold(_cluster.Workflow, WorkflowOf(handler), now));
    }

    private void BeginCall(int handler, int backend)
    {
        if (backend == _backends.Count)
        {
            Settle(handler, Queue.Settlement.Complete, isFirst: true);
            return;
        }

        ref var it = ref _handlers[handler];
        (it.Backend, it.Attempt, it.CallBegan) = ((byte)backend, 0, _timeline.Now);
        Attempt(handler);
    }

    private void Attempt(int handler)
    {
        ref var it = ref _handlers[handler];
        var breaker = _backends.BreakerOf(WorkflowOf(handler), it.Backend);
        // A call counts once, by its first attempt; while the circuit is open, every attempt meets it.
        it.IsCounted = breaker is not null && (it.Attempt == 0 || !breaker.IsClosed);
        if (it.IsCounted && !breaker!.Allows(_timeline.Now))
        {
            FailAttempt(handler);
            return;
        }

        (var end, it.Fails, it.Replica) = _backends.Call(WorkflowOf(handler), it.Backend, it.CallBegan, _timeline.Now);
        Wait(handler, Step.Call, end);
    }

    private void EndAttempt(int handler)
    {
        ref var it = ref _handlers[handler];
        var failed = it.Fails || !_backends.Answers(it.Backend, it.Delivery.Message);
        if (it.IsCounted)
            _backends.BreakerOf(WorkflowOf(handler), it.Backend)!.Record(_timeline.Now, failed);
        if (failed)
            FailAttempt(handler);
        else
            BeginCall(handler, it.Backend + 1);
    }

    private void FailAttempt(int handler)
    {
        ref var it = ref _handlers[handler];
        if (_setting.HoldsDuringOutage && _backends.IsAway(it.Backend))
        {
            Hold(WorkflowOf(handler), it.Backend);
            Postpone(handler);
            return;
        }

        if (_backends.PauseAfter(it.Attempt, it.CallBegan, _timeline.Now) is not { } pause)
        {
            GiveUp(handler);
            return;
        }

        it.Attempt++;
        Wait(handler, Step.Pause, _timeline.Now + pause);
    }

    /// <summary>What it has not begun goes back.</summary>
    private void Hold(int workflow, int backend)
    {
        if (!_heldSince.TryAdd(workflow, _timeline.Now))
            return;
        Receivers.Close(workflow);
        _timeline.Plan(_timeline.Now + Holding.Pause(0), EventKind.Ask, workflow, backend);
    }

    /// <summary>A copy is scheduled, and the message completed: that uses up none of its deliveries.</summary>
    private void Postpone(int handler)
    {
        _handlers[handler].IsPutOff = true;
        Settle(handler, Queue.Settlement.Complete, isFirst: true);
    }

    private void GiveUp(int handler)
    {
        if (_setting.FailuresDeadLetter)
            Settle(handler, Queue.Settlement.DeadLetter, isFirst: true);
        else
            Wait(handler, Step.Delay, _timeline.Now + DelayOf(_handlers[handler].Delivery));
    }

    /// <summary>Doubled with each delivery, at most half of what is left of the lock.</summary>
    private long DelayOf(Delivery delivery)
    {
        if (!_queue.IsLocked(delivery))
            return 0;
        var left = LockEnd(delivery.Message) - _timeline.Now;
        var delay = _setting.AbandonDelaySeconds * Math.Pow(2, _queue.Failures(delivery.Message));
        return Math.Max(0, Math.Min(Time.FromSeconds(Math.Min(delay, Time.Seconds(left))), left / 2));
    }

    private void Settle(int handler, Settlement settlement, bool isFirst)
    {
        ref var it = ref _handlers[handler];
        if (Receivers.IsPaused)
        {
            (it.Stalled, it.IsFirstSettlement) = (settlement, isFirst);
            Wait(handler, Step.Stalled, _pausedUntil);
            return;
        }

        var accepted = _queue.Settle(it.Delivery, settlement);
        _log?.Settled(_timeline.Now, it.Delivery.Message, settlement, accepted);
        (it.IsFirstSettlement, it.TriesDeadLetter) =
            (isFirst, !accepted && settlement == Queue.Settlement.Complete && _setting.FailuresDeadLetter);
        var latency = _cluster.Workflow.Latency is { } distribution ? Time.FromMilliseconds(_slowness * _chance.Next(distribution)) : 0;
        Wait(handler, Step.Settlement, _timeline.Now + latency);
        if (accepted && it.IsPutOff)
            _timeline.Plan(_timeline.Now + Time.FromSeconds(_setting.PostponeSeconds), EventKind.Copy);
        if (accepted && settlement == Queue.Settlement.Abandon)
            Receivers.Dispatch();
    }

    private void EndSettlement(int handler)
    {
        var it = _handlers[handler];
        if (it.IsFirstSettlement)
            Receivers.Settled(WorkflowOf(handler));
        if (it.TriesDeadLetter)
        {
            Settle(handler, Queue.Settlement.DeadLetter, isFirst: false);
            return;
        }

        Times.Add(_timeline.Now - it.Picked);
        Busy--;
        _handlers[handler].IsBusy = false;
        Receivers.Next(WorkflowOf(handler), handler);
    }

    private void Wait(int handler, Step step, long until)
    {
        _handlers[handler].Step = step;
        _timeline.Plan(until, EventKind.Handler, handler, _lives[handler]);
    }

    private struct Handler
    {
        public Delivery Delivery;
        public long Picked, CallBegan;
        public Step Step;
        public Settlement Stalled;
        public int Replica;
        public byte Backend, Attempt;
        public bool IsBusy, IsCounted, Fails, IsFirstSettlement, TriesDeadLetter, IsPutOff;
    }
}
