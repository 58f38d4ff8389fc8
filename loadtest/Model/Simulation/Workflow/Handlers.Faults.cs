using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;

namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>What happens to handlers from outside: Workflows come and go, the broker stands still or is slow, calls fail.</summary>
internal sealed partial class Handlers
{
    /// <summary>The first so many Workflows receive, and no others.</summary>
    public void Open(int workflows)
    {
        _open = workflows;
        for (var workflow = 0; workflow < _handlers.Length / _setting.ConcurrentCalls; workflow++)
        {
            if (workflow < workflows)
                Receive(workflow);
            else if (Receivers.IsOpen(workflow))
                Receivers.Close(workflow);
        }

        Receivers.Dispatch();
    }

    /// <summary>A Workflow's process is gone, and its handlers with it. Locks that they have renewed last as long as they do.</summary>
    public void Kill(int workflow)
    {
        _dead.Add(workflow);
        Receivers.Kill(workflow);
        _backends.Forget(workflow);
        foreach (var handler in HandlersOf(workflow).Where(handler => _handlers[handler].IsBusy))
        {
            var delivery = _handlers[handler].Delivery;
            if (_queue.IsLocked(delivery))
                _queue.EndHandling(delivery.Message, LockEnd(delivery.Message));
            _handlers[handler].IsBusy = false;
            _lives[handler]++;
            _calls.BreakOff(handler);
            Busy--;
        }
    }

    /// <summary>A Workflow that was killed is there again.</summary>
    public void Restart(int workflow)
    {
        _dead.Remove(workflow);
        Open(_open);
    }

    /// <summary>The break of a circuit is over.</summary>
    public void EndBreak(int workflow)
    {
        Receive(workflow);
        Receivers.Dispatch();
    }

    /// <summary>One of its circuits has opened or closed. A Workflow that holds gives back what it has in hand when one opens.</summary>
    private void FollowCircuits(int workflow)
    {
        if (!_setting.HoldsDuringOutage || !Receivers.IsOpen(workflow))
            return;
        Receivers.Close(workflow);
        if (_backends.Broken(workflow).Any(circuit => circuit.OpenUntil > _timeline.Now))
        {
            foreach (
                var handler in HandlersOf(workflow).Where(it => _handlers[it] is { IsBusy: true, Step: Step.Handling })
            )
            {
                Interrupt(handler);
            }
        }

        EndBreak(workflow);
    }

    private void Interrupt(int handler)
    {
        _lives[handler]++;
        _calls.BreakOff(handler);
        Postpone(handler);
    }

    /// <summary>With all handlers; if it holds, with one while a circuit is half open, and not before the breaks of all are over.</summary>
    private void Receive(int workflow)
    {
        if (workflow >= _open || Receivers.IsOpen(workflow) || _dead.Contains(workflow))
            return;
        List<Breaker> broken = _setting.HoldsDuringOutage ? [.. _backends.Broken(workflow)] : [];
        var idle = HandlersOf(workflow).Where(handler => !_handlers[handler].IsBusy);
        if (broken.Count == 0)
            Receivers.Open(workflow, idle, _setting.Prefetch);
        else if (broken.Max(circuit => circuit.OpenUntil) is var until && until > _timeline.Now)
            _timeline.Plan(until, EventKind.BreakEnd, workflow);
        else
            Receivers.Open(workflow, idle.Take(1), prefetch: 0);
    }

    /// <summary>The process of a back end is gone: calls that are under way to it fail.</summary>
    public void FailCallsTo(int backend, int replica) => _calls.FailTo(backend, replica);

    /// <summary>The broker stands still until then.</summary>
    public void Pause(long until) => (_pausedUntil, Receivers.IsPaused) = (until, true);

    public void Resume()
    {
        Receivers.IsPaused = false;
        Receivers.Dispatch();
    }

    /// <summary>From now on the broker's answers to settlements take so many times as long.</summary>
    public void SlowSettlements(double factor) => _slowness = factor;
}
