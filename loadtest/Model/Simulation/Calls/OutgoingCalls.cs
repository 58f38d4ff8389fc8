using DroneDelivery.Model.Simulation.Events;

namespace DroneDelivery.Model.Simulation.Calls;

/// <summary>
/// The calls of handlers: each with its attempts, pauses and the circuit of its Workflow. A call waits for one thing at a time, so one
/// event each is planned.
/// </summary>
/// <param name="atATime">Calls that one handler makes at a time.</param>
/// <param name="ended">Tells a handler that a call has ended, and whether it failed.</param>
/// <param name="changed">Tells a Workflow that one of its circuits has opened or closed.</param>
internal sealed class OutgoingCalls(
    Backends backends,
    Timeline timeline,
    int handlers,
    int atATime,
    Action<int, bool> ended,
    Action<int> changed
)
{
    private readonly Call[] _calls = new Call[handlers * atATime];

    /// <param name="slot">Which of its calls that are made at the same time.</param>
    public void Begin(int handler, int slot, int workflow, int backend, int message)
    {
        var call = handler * atATime + slot;
        _calls[call] = new()
        {
            Life = _calls[call].Life,
            Workflow = workflow,
            Backend = backend,
            Message = message,
            Began = timeline.Now,
        };
        Attempt(call);
    }

    /// <summary>What a call waited for has come.</summary>
    /// <param name="life">In which it waited: one that was broken off waits for nothing.</param>
    public void Continue(int call, int life)
    {
        if (life != _calls[call].Life)
            return;
        if (_calls[call].IsUnderWay)
            EndAttempt(call);
        else
            Attempt(call);
    }

    /// <summary>Nobody waits for the calls of a handler any more.</summary>
    public void BreakOff(int handler)
    {
        foreach (ref var it in _calls.AsSpan(handler * atATime, atATime))
            (it.IsUnderWay, it.Life) = (false, it.Life + 1);
    }

    /// <summary>The process of a back end is gone: calls that are under way to it fail.</summary>
    public void FailTo(int backend, int replica)
    {
        for (var call = 0; call < _calls.Length; call++)
        {
            ref var it = ref _calls[call];
            if (!it.IsUnderWay || it.Backend != backend || it.Replica != replica)
                continue;
            it.Fails = true;
            it.Life++; // its answer will not come
            Wait(call, timeline.Now);
        }
    }

    private void Attempt(int call)
    {
        ref var it = ref _calls[call];
        var breaker = backends.BreakerOf(it.Workflow, it.Backend);
        if (breaker?.Allows(timeline.Now) == false)
        {
            FailAttempt(call);
            return;
        }

        (var end, it.Fails, it.Replica) = backends.Call(it.Workflow, it.Backend, it.Began, timeline.Now);
        it.IsUnderWay = true;
        Wait(call, end);
    }

    private void EndAttempt(int call)
    {
        ref var it = ref _calls[call];
        it.IsUnderWay = false;
        var (life, failed) = (it.Life, it.Fails || !backends.Answers(it.Backend, it.Message));
        if (backends.BreakerOf(it.Workflow, it.Backend)?.Record(timeline.Now, failed) == true)
            changed(it.Workflow);
        if (life != it.Life)
            return;
        if (failed)
            FailAttempt(call);
        else
            End(call, failed: false);
    }

    private void FailAttempt(int call)
    {
        ref var it = ref _calls[call];
        if (backends.PauseAfter(it.Attempt, it.Began, timeline.Now) is not { } pause)
        {
            End(call, failed: true);
            return;
        }

        it.Attempt++;
        Wait(call, timeline.Now + pause);
    }

    private void End(int call, bool failed) => ended(call / atATime, failed);

    private void Wait(int call, long until) => timeline.Plan(until, EventKind.Call, call, _calls[call].Life);

    private struct Call
    {
        public long Began;
        public int Workflow,
            Backend,
            Message,
            Replica,
            Life,
            Attempt;
        public bool IsUnderWay,
            Fails;
    }
}
