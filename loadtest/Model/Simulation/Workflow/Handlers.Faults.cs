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
            if (workflow < workflows && !Receivers.IsOpen(workflow) && !_dead.Contains(workflow) && !_heldSince.ContainsKey(workflow))
                Receivers.Open(workflow, HandlersOf(workflow).Where(handler => !_handlers[handler].IsBusy));
            else if (workflow >= workflows && Receivers.IsOpen(workflow))
                Receivers.Close(workflow);
        }

        Receivers.Dispatch();
    }

    /// <summary>A Workflow's process is gone, and its handlers with it. Locks that they have renewed last as long as they do.</summary>
    public void Kill(int workflow)
    {
        _dead.Add(workflow);
        Receivers.Kill(workflow);
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

    /// <summary>A Workflow that holds asks a back end. It goes on receiving when there is an answer.</summary>
    /// <param name="workflow">Which.</param>
    /// <param name="backend">For which it waits.</param>
    /// <param name="isOver">Whether nobody begins to receive any more.</param>
    public void Ask(int workflow, int backend, bool isOver)
    {
        if (!_heldSince.TryGetValue(workflow, out var since) || isOver)
            return;
        if (_backends.IsAway(backend))
        {
            _timeline.Plan(_timeline.Now + Holding.Pause(_timeline.Now - since), EventKind.Ask, workflow, backend, _consumer);
            return;
        }

        _heldSince.Remove(workflow);
        Open(_open);
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
