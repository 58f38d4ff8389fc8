using DroneDelivery.Model.Simulation.Calls;
using DroneDelivery.Model.Simulation.Events;

namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>External events: Workflows start and exit, the broker pauses or slows down, calls fail.</summary>
internal sealed partial class Handlers
{
    /// <summary>Starts the first <paramref name="workflows"/> Workflows and stops the others.</summary>
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

    /// <summary>Ends a Workflow's process. Its renewed locks expire on schedule.</summary>
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
            _calls.CancelAll(handler);
            Busy--;
        }
    }

    public void Restart(int workflow)
    {
        _dead.Remove(workflow);
        Open(_open);
    }

    public void EndBreak(int workflow)
    {
        Receive(workflow);
        Receivers.Dispatch();
    }

    /// <summary>Releases the messages of a Workflow that holds during an outage when a circuit opens.</summary>
    private void FollowCircuits(int workflow)
    {
        if (!_setting.HoldsDuringOutage || !Receivers.IsOpen(workflow))
            return;
        Receivers.Close(workflow);
        if (_backends.GetOpenCircuits(workflow).Any(circuit => circuit.OpenUntil > _timeline.Now))
        {
            foreach (
                var handler in HandlersOf(workflow)
                    .Where(index => _handlers[index] is { IsBusy: true, Step: Step.Handling })
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
        _calls.CancelAll(handler);
        Postpone(handler);
    }

    /// <summary>
    /// Starts receiving. A Workflow that holds during an outage waits for the end of every break, and uses one handler while a circuit is
    /// half-open.
    /// </summary>
    private void Receive(int workflow)
    {
        if (workflow >= _open || Receivers.IsOpen(workflow) || _dead.Contains(workflow))
            return;
        List<Breaker> broken = _setting.HoldsDuringOutage ? [.. _backends.GetOpenCircuits(workflow)] : [];
        var idle = HandlersOf(workflow).Where(handler => !_handlers[handler].IsBusy);
        if (broken.Count == 0)
            Receivers.Open(workflow, idle, _setting.Prefetch);
        else if (broken.Max(circuit => circuit.OpenUntil) is var until && until > _timeline.Now)
            _timeline.Plan(until, EventKind.BreakEnd, workflow);
        else
            Receivers.Open(workflow, idle.Take(1), prefetch: 0);
    }

    public void FailCallsTo(int backend, int replica) => _calls.FailTo(backend, replica);

    public void Pause(long until) => (_pausedUntil, Receivers.IsPaused) = (until, true);

    public void Resume()
    {
        Receivers.IsPaused = false;
        Receivers.Dispatch();
    }

    public void SlowSettlements(double factor) => _slowness = factor;
}
