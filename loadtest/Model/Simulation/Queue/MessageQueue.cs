namespace DroneDelivery.Model.Simulation.Queue;

/// <summary>
/// The messages of the queue, identified by sequence number from 0. Only the token of the current lock settles a message. A returned
/// message keeps its position.
/// </summary>
internal sealed class MessageQueue
{
    private readonly int _maxDeliveryCount;
    private readonly LockEnds _locks;
    private readonly PriorityQueue<int, int> _returned = new(); // by sequence number
    private Entry[] _messages = new Entry[1024];
    private int _arrived,
        _neverHandedOut;

    public MessageQueue(QueueSetting setting, LockEnds locks)
    {
        (_maxDeliveryCount, _locks) = (setting.MaxDeliveryCount, locks);
        for (var i = 0; i < setting.MessagesAtStart; i++)
            Add(acceptedAt: 0);
    }

    private enum State : byte
    {
        Active,
        Locked,
        Completed,
        Dead,
    }

    public Counters Counters { get; } = new();

    public int Active => _arrived - _neverHandedOut + _returned.Count;

    public int Locked { get; private set; }

    public int Arrive(long acceptedAt)
    {
        Counters.Incoming++;
        return Add(acceptedAt);
    }

    public long AcceptanceOf(int message) => _messages[message].AcceptedAt;

    /// <summary>Locks and returns the next message, which must exist.</summary>
    public Delivery Take(long now)
    {
        var number =
            _returned.Count > 0 && (_neverHandedOut == _arrived || _returned.Peek() < _neverHandedOut)
                ? _returned.Dequeue()
                : _neverHandedOut++;
        ref var message = ref _messages[number];
        (message.State, message.LockedUntil) = (State.Locked, now + _locks.Duration);
        message.Handler = Delivery.InBuffer;
        message.Token++;
        Locked++;
        Counters.Outgoing++;
        Counters.Redelivered += message.Failures > 0 ? 1 : 0;
        _locks.Begin(now, number, message.Token);
        return new(number, message.Token);
    }

    public bool IsLocked(Delivery delivery)
    {
        ref var message = ref _messages[delivery.Message];
        return message.State == State.Locked && message.Token == delivery.Token;
    }

    public int Failures(int message) => _messages[message].Failures;

    public long LockedUntil(int message) => _messages[message].LockedUntil;

    public int HandlerOf(int message) => _messages[message].Handler;

    public void BeginHandling(int message, int handler) => _messages[message].Handler = handler;

    public void EndHandling(int message, long lockedUntil) =>
        (_messages[message].Handler, _messages[message].LockedUntil) = (Delivery.InBuffer, lockedUntil);

    /// <returns><c>false</c> if the lock has expired.</returns>
    public bool Settle(Delivery delivery, Settlement settlement)
    {
        if (!IsLocked(delivery))
        {
            CountLate(settlement);
            return false;
        }

        if (settlement == Settlement.Complete)
            Remove(delivery.Message, State.Completed, ref Counters.Completed);
        else if (settlement == Settlement.DeadLetter)
            Remove(delivery.Message, State.Dead, ref Counters.DeadLettered);
        else
            Fail(delivery.Message, ref Counters.Abandoned);
        return true;
    }

    public void Expire(int message) => Fail(message, ref Counters.ExpiredLocks);

    /// <summary>Returns an unprocessed message without counting a failed delivery.</summary>
    public void Release(Delivery delivery)
    {
        if (IsLocked(delivery))
            Return(delivery.Message);
    }

    private int Add(long acceptedAt)
    {
        if (_arrived == _messages.Length)
            Array.Resize(ref _messages, 2 * _arrived);
        _messages[_arrived].AcceptedAt = acceptedAt;
        return _arrived++;
    }

    private void Fail(int message, ref long counter)
    {
        counter++;
        if (++_messages[message].Failures >= _maxDeliveryCount)
            Remove(message, State.Dead, ref Counters.DeadLettered);
        else
            Return(message);
    }

    private void Return(int message)
    {
        _messages[message].State = State.Active;
        Locked--;
        _returned.Enqueue(message, message);
    }

    private void Remove(int message, State state, ref long counter)
    {
        _messages[message].State = state;
        Locked--;
        counter++;
    }

    private void CountLate(Settlement settlement)
    {
        if (settlement == Settlement.Complete)
            Counters.LateCompletes++;
        else if (settlement == Settlement.DeadLetter)
            Counters.LateDeadLetters++;
        else
            Counters.LateAbandons++;
    }

    private struct Entry
    {
        public long AcceptedAt,
            LockedUntil;
        public int Token,
            Failures,
            Handler;
        public State State;
    }
}

internal readonly record struct Delivery(int Message, int Token)
{
    public const int InBuffer = -1;
}

internal enum Settlement : byte
{
    Complete,
    Abandon,
    DeadLetter,
}

internal sealed class Counters
{
    public long Incoming,
        Outgoing,
        Redelivered,
        Completed,
        Abandoned,
        DeadLettered;
    public long LateCompletes,
        LateDeadLetters,
        LateAbandons,
        LateRenewals,
        ExpiredLocks;
}
