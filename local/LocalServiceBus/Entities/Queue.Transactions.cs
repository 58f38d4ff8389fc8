namespace DroneDelivery.LocalServiceBus.Entities;

// What a transaction does with a queue: it asks first what can be done, and later changes all of its queues under all of their locks.
public sealed partial class Queue
{
    private static long _lastPlace;

    /// <summary>Who takes the locks of several queues takes them by this number. A dead-letter queue comes behind its queue.</summary>
    internal long LockPlace { get; } = Interlocked.Increment(ref _lastPlace);

    /// <summary>The queue or the topic that it is a part of.</summary>
    internal string TopLevel =>
        _parent is not null ? _parent.TopLevel : QueueOptions.TrySplit(Name, out var topic, out _) ? topic : Name;

    /// <summary>Asks under the lock. What throws there fails the queue.</summary>
    /// <param name="whenFailed">The answer of a queue that has failed.</param>
    /// <param name="ask">Asks one of the methods below.</param>
    internal T Ask<T>(T whenFailed, Func<T> ask) => Change(whenFailed, ask);

    /// <summary>From here to <see cref="Leave"/> nothing but this thread changes the queue.</summary>
    internal void Enter() => _gate.Enter();

    internal void Leave() => _gate.Exit();

    /// <summary>Under the lock: whether the messages would be accepted now.</summary>
    internal EnqueueResult CanSend(MessageContent[] messages) => Probe(messages);

    /// <summary>The same of a settlement.</summary>
    /// <param name="token">Of the lock.</param>
    /// <param name="settlement">That is wanted.</param>
    /// <param name="message">That is locked; null when the lock is lost.</param>
    internal SettleResult CanSettle(Guid token, Settlement settlement, out QueuedMessage? message) =>
        Probe(token, settlement, _clock.Now, out message);

    /// <summary>The same: whether all of the messages are scheduled.</summary>
    internal bool CanCancel(IReadOnlyList<long> sequenceNumbers) => Failure is null && _contents.AreScheduled(sequenceNumbers);

    /// <summary>Under the lock: a number for a message that is to be scheduled later.</summary>
    internal long Reserve() => _contents.ReserveNumber();

    /// <summary>Under the same hold of the lock as <see cref="CanSend"/>.</summary>
    /// <param name="messages">In their order.</param>
    /// <param name="reserved">Their numbers; null: the next.</param>
    internal void Take(MessageContent[] messages, long[]? reserved)
    {
        var now = _clock.Now;
        for (var i = 0; i < messages.Length; i++)
            _contents.Add(messages[i], now, reserved?[i] ?? 0);
        Touch(now);
    }

    /// <summary>The same behind <see cref="CanSettle"/>.</summary>
    internal void Take(QueuedMessage locked, Settlement settlement)
    {
        _contents.Settle(locked, settlement);
        Touch(_clock.Now);
    }

    /// <summary>The same behind <see cref="CanCancel"/>.</summary>
    internal void TakeCancel(IReadOnlyList<long> sequenceNumbers)
    {
        _contents.Cancel(sequenceNumbers);
        Touch(_clock.Now);
    }

    /// <summary>A change of this queue and of others has broken off: none of them can be trusted any more.</summary>
    internal void EndAsBroken(Exception error) => Fail(error);
}
