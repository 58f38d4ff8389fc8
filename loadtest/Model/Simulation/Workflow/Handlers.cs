using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;
using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>
/// The handlers of every Workflow: CPU of the own node, step after step the calls to back ends, one settlement, and the next message.
/// </summary>
internal sealed partial class Handlers
{
    private readonly HandlingSetting _setting;
    private readonly Cluster _cluster;
    private readonly Cluster.Placed _own;
    private readonly Backends _backends;
    private readonly IReadOnlyList<IReadOnlyList<int>> _steps;
    private readonly OutgoingCalls _calls;
    private readonly MessageQueue _queue;
    private readonly Timeline _timeline;
    private readonly Chance _chance;
    private readonly Renewal _renewal;
    private readonly ISimulationLog? _log;
    private readonly Handler[] _handlers;
    private readonly int[] _lives;
    private readonly HashSet<int> _dead = [];
    private int _open;
    private long _pausedUntil;
    private double _slowness = 1;

    public Handlers(World world, Backends backends, MessageQueue queue)
    {
        var setting = world.Setting;
        var workflows = setting.Workflow.Nodes.Count;
        _setting = setting.Handling;
        (_cluster, _timeline, _chance, _log) = (world.Cluster, world.Timeline, world.Chance, world.Log);
        (_own, _backends, _queue) = (_cluster.Workflow, backends, queue);
        _renewal = new(setting.Handling, setting.Queue, setting.Faults);
        _handlers = new Handler[workflows * setting.Handling.ConcurrentCalls];
        _steps = setting.Steps;
        var atATime = _steps.Select(step => step.Count).DefaultIfEmpty(1).Max();
        _calls = new(backends, _timeline, _handlers.Length, atATime, EndCall, FollowCircuits);
        _lives = new int[_handlers.Length];
        Receivers = new(setting.Handling, workflows, queue, _timeline, _log, Begin);
    }

    private enum Step : byte
    {
        /// <summary>The node does the message's own work, or back ends are called.</summary>
        Handling,

        /// <summary>The pause before an abandon.</summary>
        Delay,

        /// <summary>The broker does not take the settlement yet: it stands still.</summary>
        Stalled,

        /// <summary>The broker's answer to a settlement is on its way.</summary>
        Settlement,
    }

    public Receivers Receivers { get; }

    public ProcessTimes Times { get; } = new();

    /// <summary>Seconds from a message's acceptance to the answer to its completion.</summary>
    public List<double> Ages { get; } = [];

    /// <summary>Handlers at work.</summary>
    public int Busy { get; private set; }

    /// <summary>What a handler waited for has come.</summary>
    /// <param name="life">In which it waited: one that was killed waits for nothing.</param>
    public void Continue(int handler, int life)
    {
        if (life != _lives[handler])
            return;
        switch (_handlers[handler].Step)
        {
            case Step.Handling:
                BeginStep(handler);
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

    /// <summary>What a call waited for has come.</summary>
    public void ContinueCall(int call, int life) => _calls.Continue(call, life);

    /// <summary>When the lock of a message ends: later than it was set, if a handler has renewed it.</summary>
    public long LockEnd(int message)
    {
        var lockedUntil = _queue.LockedUntil(message);
        var handler = _queue.HandlerOf(message);
        return handler == Delivery.InBuffer
            ? lockedUntil
            : _renewal.EndOf(_handlers[handler].Picked, lockedUntil, _timeline.Now);
    }

    private IEnumerable<int> HandlersOf(int workflow) =>
        Enumerable.Range(workflow * _setting.ConcurrentCalls, _setting.ConcurrentCalls);

    private int WorkflowOf(int handler) => handler / _setting.ConcurrentCalls;

    private void Begin(int handler, Delivery delivery)
    {
        var now = _timeline.Now;
        _handlers[handler] = new()
        {
            IsBusy = true,
            Delivery = delivery,
            Picked = now,
        };
        Busy++;
        _log?.Began(now, handler, delivery.Message);
        // The client does not know that a lock has ended in its buffer: it tries to renew it, and is refused.
        if (_queue.IsLocked(delivery))
            _queue.BeginHandling(delivery.Message, handler);
        else if (_renewal.IsOn)
            _queue.Counters.LateRenewals++;
        Wait(handler, Step.Handling, _cluster.Hold(_own, WorkflowOf(handler), now));
    }

    private void BeginStep(int handler)
    {
        ref var it = ref _handlers[handler];
        if (it.StepsDone == _steps.Count)
        {
            Settle(handler, Queue.Settlement.Complete, isFirst: true);
            return;
        }

        var step = _steps[it.StepsDone];
        (it.CallsLeft, it.HasFailed) = (step.Count, false);
        for (var slot = 0; slot < step.Count; slot++)
            _calls.Begin(handler, slot, WorkflowOf(handler), step[slot], it.Delivery.Message);
    }

    /// <summary>When the last call of a step has ended.</summary>
    private void EndCall(int handler, bool failed)
    {
        ref var it = ref _handlers[handler];
        it.HasFailed |= failed;
        if (--it.CallsLeft > 0)
            return;
        if (it.HasFailed)
        {
            GiveUp(handler);
            return;
        }

        it.StepsDone++;
        BeginStep(handler);
    }

    /// <summary>A copy is scheduled, and the message completed: that uses up none of its deliveries.</summary>
    private void Postpone(int handler)
    {
        _handlers[handler].IsPutOff = true;
        Settle(handler, Queue.Settlement.Complete, isFirst: true);
    }

    private void GiveUp(int handler)
    {
        if (_setting.HoldsDuringOutage || _setting.RetriesFailures)
            Postpone(handler);
        else if (_setting.FailuresDeadLetter)
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
        it.IsCompleted = accepted && settlement == Queue.Settlement.Complete && !it.IsPutOff;
        _log?.Settled(_timeline.Now, it.Delivery.Message, settlement, accepted);
        (it.IsFirstSettlement, it.TriesDeadLetter) = (
            isFirst,
            !accepted && settlement == Queue.Settlement.Complete && _setting.FailuresDeadLetter
        );
        Wait(handler, Step.Settlement, _timeline.Now + AnswerTime());
        if (accepted && it.IsPutOff)
        {
            _timeline.Plan(_timeline.Now + Time.FromSeconds(_setting.RetrySeconds), EventKind.Copy);
        }

        if (accepted && settlement == Queue.Settlement.Abandon)
            Receivers.Dispatch();
    }

    /// <summary>Until the broker answers.</summary>
    private long AnswerTime() =>
        _own.Latency is { } latency ? Time.FromMilliseconds(_slowness * _chance.Next(latency)) : 0;

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
        if (it.IsCompleted)
            Ages.Add(Time.Seconds(_timeline.Now - _queue.AcceptanceOf(it.Delivery.Message)));
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
        public long Picked;
        public int StepsDone,
            CallsLeft;
        public Step Step;
        public Settlement Stalled;
        public bool IsBusy,
            HasFailed,
            IsFirstSettlement,
            TriesDeadLetter,
            IsPutOff,
            IsCompleted;
    }
}
