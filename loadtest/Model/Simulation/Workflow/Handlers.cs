using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;
using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>The handlers of every Workflow. Each uses CPU of its node, calls the back ends step by step, and settles the message.</summary>
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
    private readonly RandomSource _random;
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
        (_cluster, _timeline, _random, _log) = (world.Cluster, world.Timeline, world.Random, world.Log);
        (_own, _backends, _queue) = (_cluster.Workflow, backends, queue);
        _renewal = new(setting.Handling, setting.Queue, setting.Faults);
        _handlers = new Handler[workflows * setting.Handling.ConcurrentCalls];
        _steps = setting.Steps;
        var concurrency = _steps.Select(step => step.Count).DefaultIfEmpty(1).Max();
        _calls = new(backends, _timeline, _handlers.Length, concurrency, EndCall, FollowCircuits);
        _lives = new int[_handlers.Length];
        Receivers = new(setting.Handling, workflows, queue, _timeline, _log, Begin);
    }

    private enum Step : byte
    {
        /// <summary>The node does the message's own work, or back ends are called.</summary>
        Handling,

        Delay,

        /// <summary>A settlement waits for the paused broker.</summary>
        Stalled,

        /// <summary>The broker's response to a settlement is pending.</summary>
        Settlement,
    }

    public Receivers Receivers { get; }

    public ProcessTimes Times { get; } = new();

    /// <summary>Seconds from acceptance to the response to the completion.</summary>
    public List<double> Ages { get; } = [];

    public int Busy { get; private set; }

    /// <summary>Continues a handler after an event.</summary>
    /// <param name="life">The life of the handler when the event was scheduled; a killed handler has another one and ignores the
    /// event.</param>
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

    public void ContinueCall(int call, int life) => _calls.Continue(call, life);

    /// <summary>Returns when the lock of a message expires, including renewals.</summary>
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
        // The client doesn't notice an expired lock in its buffer, and its renewal is rejected.
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

    /// <summary>Schedules a copy and completes the message, without using up a delivery.</summary>
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

    /// <summary>Returns the delay, which doubles with each delivery up to half of the remaining lock.</summary>
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

    private long AnswerTime() =>
        _own.Latency is { } latency ? Time.FromMilliseconds(_slowness * _random.Next(latency)) : 0;

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
