using DroneDelivery.Model.Simulation.Events;

namespace DroneDelivery.Model.Simulation.Calls;

/// <summary>The outgoing calls of handlers. A call waits for one thing at a time, so it needs only one scheduled event.</summary>
/// <param name="ended">Called when a handler's call has ended; <c>true</c> if it failed.</param>
/// <param name="changed">Called when a circuit of a Workflow has opened or closed.</param>
internal sealed class OutgoingCalls(
    Backends backends,
    Timeline timeline,
    int handlers,
    int concurrency,
    Action<int, bool> ended,
    Action<int> changed
)
{
    private readonly Call[] _calls = new Call[handlers * concurrency];

    public void Begin(int handler, int slot, int workflow, int backend, int message)
    {
        var call = handler * concurrency + slot;
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

    /// <summary>Continues a call after an event.</summary>
    /// <param name="life">The life of the call when the event was scheduled; a canceled call has another one and ignores the event.</param>
    public void Continue(int call, int life)
    {
        if (life != _calls[call].Life)
            return;
        if (_calls[call].IsUnderWay)
            EndAttempt(call);
        else
            Attempt(call);
    }

    public void CancelAll(int handler)
    {
        foreach (ref var it in _calls.AsSpan(handler * concurrency, concurrency))
            (it.IsUnderWay, it.Life) = (false, it.Life + 1);
    }

    public void FailTo(int backend, int replica)
    {
        for (var call = 0; call < _calls.Length; call++)
        {
            ref var it = ref _calls[call];
            if (!it.IsUnderWay || it.Backend != backend || it.Replica != replica)
                continue;
            it.Fails = true;
            it.Life++;
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

    private void End(int call, bool failed) => ended(call / concurrency, failed);

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
