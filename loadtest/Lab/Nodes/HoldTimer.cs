namespace DroneDelivery.Lab.Nodes;

/// <summary>
/// Answers every hold when it is over. One thread of its own waits for the next: the runtime's timers follow a clock of 4 ms on Linux,
/// a wait on a lock is good to the millisecond it is given in.
/// </summary>
internal sealed class HoldTimer : IDisposable
{
    // A wait takes whole milliseconds: what is due within half of one goes now, so that answers are right on average.
    private static readonly TimeSpan Tolerance = TimeSpan.FromMilliseconds(0.5), RetryAfter = TimeSpan.FromMilliseconds(5);
    private readonly TimeProvider _clock;
    private readonly long _origin;
    private readonly PriorityQueue<(GateReplica Replica, int Id), TimeSpan> _due = new();
    // Those with answers to send: just due, or left because the replica does not read them for now.
    private readonly HashSet<GateReplica> _toSend = [];
    private readonly LatenessCounts _lateness = new();
    private readonly Thread _thread;
    private TimeSpan _wakesAt, _retryAt;
    private bool _stopping;

    public HoldTimer(TimeProvider clock)
    {
        (_clock, _origin) = (clock, clock.GetTimestamp());
        _thread = new Thread(Run) { Name = "CPU gates", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Guards the nodes as well: a hold's place in the queue and the time of its arrival are one decision.</summary>
    public object Lock { get; } = new();

    /// <summary>Of the nodes' clock. Read it under the lock.</summary>
    public TimeSpan Now => _clock.GetElapsedTime(_origin);

    /// <summary>Answers <paramref name="id"/> at a time. Call it under the lock.</summary>
    public void Answer(GateReplica replica, int id, TimeSpan at)
    {
        _due.Enqueue((replica, id), at);
        if (at < _wakesAt)
            Monitor.Pulse(Lock);
    }

    /// <summary>Of all answers so far.</summary>
    public Lateness ReadLateness()
    {
        lock (Lock)
            return _lateness.Read();
    }

    public void Dispose()
    {
        lock (Lock)
        {
            _stopping = true;
            Monitor.Pulse(Lock);
        }

        _thread.Join();
    }

    private void Run()
    {
        while (TakeDue())
        {
            foreach (var replica in _toSend)
                replica.Send();
            _toSend.RemoveWhere(replica => replica.HasSentAll);
        }
    }

    /// <returns>False at the end.</returns>
    private bool TakeDue()
    {
        lock (Lock)
        {
            while (!_stopping)
            {
                var now = Now;
                var blocked = _toSend.Count;
                while (_due.TryPeek(out var hold, out var at) && at <= now + Tolerance)
                    Take(hold, now - at);
                if (_toSend.Count > blocked || (blocked > 0 && now >= _retryAt))
                {
                    _retryAt = now + RetryAfter;
                    return true;
                }

                _wakesAt = blocked > 0 ? _retryAt : TimeSpan.MaxValue;
                if (_due.TryPeek(out _, out var next) && next < _wakesAt)
                    _wakesAt = next;
                Wait(_wakesAt - now);
            }

            return false;
        }
    }

    private void Take((GateReplica Replica, int Id) hold, TimeSpan lateness)
    {
        _due.Dequeue();
        _lateness.Add(lateness);
        hold.Replica.Add(hold.Id);
        _toSend.Add(hold.Replica);
    }

    private void Wait(TimeSpan time)
    {
        if (time > TimeSpan.FromHours(1))
            Monitor.Wait(Lock);
        else
            Monitor.Wait(Lock, (int)Math.Max(1, Math.Round(time.TotalMilliseconds)));
    }
}
