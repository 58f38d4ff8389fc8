namespace DroneDelivery.LocalServiceBus.Entities;

// What ends: locks, lives of messages and waits, by the clock and with one timer; the queue, because it is deleted, unused or has failed.
internal sealed partial class Queue
{
    // Lock acquisitions per call before others of the pool get their turn.
    private const int HoldsPerCall = 8;

    private Exception? _failure;
    private volatile bool _isDeleted;

    /// <summary>Not null after a defect: what is in the queue can no longer be trusted, so it takes and gives nothing more, and its clients
    /// are told. A queue and its dead-letter queue fail together. The way out is to delete the queue and to create it anew.</summary>
    public Exception? Failure => _parent is null ? Volatile.Read(ref _failure) : _parent.Failure;

    /// <summary>A queue of the same name is another one.</summary>
    internal bool IsDeleted => _isDeleted;

    /// <summary>The queue, and its dead-letter queues so far.</summary>
    internal Queue[] Parts => [.. new[] { this, DeadLetterQueue, TransferDeadLettersSoFar }.OfType<Queue>()];

    /// <summary>How long nobody has used it, or the subscriptions of its topic; null: somebody does, be it that a receiver waits, or that a
    /// message is scheduled.</summary>
    internal TimeSpan? UnusedFor()
    {
        Queue[] parts =
        [
            .. Parts,
            .. (Topic?.Subscriptions ?? []).SelectMany(subscription => subscription.Queue.Parts),
        ];
        return parts.Any(part => part.IsInUse) ? null : parts.Min(part => part.SinceLastUse);
    }

    /// <summary>From then on the queue takes nothing more, so that no message that it has accepted goes with it.</summary>
    /// <param name="least">So long it has to be unused.</param>
    /// <returns>False: somebody has used it meanwhile.</returns>
    internal bool TryRetire(TimeSpan least)
    {
        lock (_gate)
            return !_isDeleted && !IsInUse && SinceLastUse >= least && (_isDeleted = true);
    }

    /// <summary>The queue is gone for good, and not only until the broker starts again.</summary>
    internal void Delete()
    {
        Dispose();
        _journal.Delete();
    }

    public void Dispose()
    {
        lock (_gate)
            _isDeleted = true;
        RefuseWaiting(QueueResult.Deleted);
        while (Change(false, () => _contents.Clear(MostPerHold))) { }
        lock (_gate)
            _contents.Release();
        _timer.Dispose();
        DeadLetterQueue?.Dispose();
        TransferDeadLettersSoFar?.Dispose();
    }

    internal void Fail(Exception error)
    {
        if (_parent is not null)
        {
            _parent.Fail(error);
            return;
        }
        var isFirst = Interlocked.CompareExchange(ref _failure, error, null) is null;
        _defects.Report(
            $"queue '{Name}', which takes and gives nothing more until it is deleted and created anew",
            error
        );
        if (!isFirst)
            return;
        foreach (var part in Parts)
            part.Stop();
        // Those who listen may take locks of their own, which this thread may hold.
        ThreadPool.UnsafeQueueUserWorkItem(
            static queue =>
                queue._defects.Guard(
                    $"telling the clients of queue '{queue.Name}' that it has failed",
                    queue.TellFailure
                ),
            this,
            preferLocal: false
        );
    }

    /// <summary>The clock has stepped ahead, and no timer knows.</summary>
    internal void OnStep()
    {
        OnDue();
        DeadLetterQueue?.OnStep();
        TransferDeadLettersSoFar?.OnStep();
    }

    private void TellFailure()
    {
        RefuseWaiting(QueueResult.Failed);
        _onFailed?.Invoke(this);
    }

    private void Stop()
    {
        _dispatcher.Stop();
        _timer.Dispose();
        lock (_gate)
            _sessions?.Stop();
    }

    private void OnDue()
    {
        if (Change(false, TakeForwarding))
            _forwarder?.Signal();
        for (var holds = 1; Change(false, () => !_isDeleted && TakeDue()); holds++)
        {
            Dispatch();
            if (holds < HoldsPerCall)
                continue;
            ThreadPool.UnsafeQueueUserWorkItem(static queue => queue.OnDue(), this, preferLocal: false);
            return;
        }
        Dispatch();
    }

    /// <returns>Whether there is more: a session ends as a whole, whatever the number of its messages.</returns>
    private bool TakeDue()
    {
        var now = _clock.Now;
        TakeTimedOut(now);
        for (var taken = 0; taken < MostPerHold; taken++)
        {
            if (_deadlines.TakeDue(now) is { } message)
            {
                _contents.OnDue(message);
            }
            else if (_sessions?.NextDue(now) is { } session)
            {
                taken += session.Locked.Count;
                EndDue(session);
            }
            else
            {
                DateTimeOffset[] next =
                [
                    _deadlines.Next,
                    _sessions?.NextEnd ?? DateTimeOffset.MaxValue,
                    _nextTimeout,
                    _forwardAt,
                ];
                _timer.Rearm(next.Min());
                return false;
            }
        }
        return true;
    }

    private bool IsInUse
    {
        get
        {
            lock (_gate)
            {
                return _contents.Receivers > 0
                    || _waiting.Count > 0
                    || _contents.Store.CountOf(MessageState.Scheduled) > 0;
            }
        }
    }

    private TimeSpan SinceLastUse => _clock.Now - new[] { AccessedAt, UpdatedAt, _contents.UsedAt }.Max();
}
