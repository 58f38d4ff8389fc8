using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

// What clients send, settle and cancel. A transaction asks all of its queues first what can be done, then changes them under all of their
// locks.
internal sealed partial class Queue
{
    private static long _lastPlace;

    /// <summary>Who takes the locks of several queues takes them by this number. A dead-letter queue comes behind its queue.</summary>
    internal long LockPlace { get; } = Interlocked.Increment(ref _lastPlace);

    /// <summary>The queue or the topic that it is a part of.</summary>
    internal string TopLevel =>
        _parent is not null ? _parent.TopLevel : QueueOptions.TrySplit(Name, out var topic, out _) ? topic : Name;

    /// <summary>Does what a client asks under one hold of the lock, in its order, and dispatches once.</summary>
    /// <param name="batch">Not to be changed until it is completed: at once what was refused while a full disk may keep the others waiting,
    /// and those as by <see cref="WhenKept"/>.</param>
    internal void Do(RequestBatch batch)
    {
        var brings = false;
        try
        {
            lock (_gate)
            {
                var now = _clock.Now;
                foreach (var request in batch.Requests)
                    brings |= Apply(request, now);
            }
        }
        catch (Exception error)
        {
            // What was not done keeps the result that it has from the start.
            Fail(error);
        }
        if (brings)
            Dispatch();
        if (_journal.Trouble is null)
            WhenKept(batch.CompleteAll);
        else
            CompleteInTurn(batch);
    }

    /// <summary>The same of one request, which is not completed.</summary>
    internal void Do(QueueRequest request)
    {
        if (Change(false, () => Apply(request, _clock.Now)))
            Dispatch();
    }

    /// <param name="sequenceNumbers">Room for one of each message, 0 for a duplicate.</param>
    internal QueueResult Enqueue(MessageContent[] messages, long[] sequenceNumbers)
    {
        var request = new SendRequest(this, messages) { Numbers = sequenceNumbers };
        Do(request);
        return request.Result;
    }

    internal QueueResult Settle(Guid token, Settlement settlement)
    {
        var request = new SettleRequest(this, token, settlement);
        Do(request);
        return request.Result;
    }

    /// <summary>From here to <see cref="Leave"/> nothing but this thread changes the queue.</summary>
    internal void Enter() => _gate.Enter();

    internal void Leave() => _gate.Exit();

    /// <summary>Under the lock: a number for a message that is to be scheduled later.</summary>
    internal long ReserveNumber() => _contents.ReserveNumber();

    /// <summary>Under the lock: whether the messages would be accepted now.</summary>
    internal QueueResult CanSend(MessageContent[] messages)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (Failure is not null)
            return QueueResult.Failed;
        if (IsSendDisabled)
            return QueueResult.Disabled;
        if (_contents.IsFull())
            return QueueResult.QuotaExceeded;
        if (_memory.IsExhausted)
            return QueueResult.BrokerFull;
        if (JournalTrouble is not null)
            return QueueResult.NotKept;
        return _sessions is not null && HasNoSession(messages) ? QueueResult.NoSession : QueueResult.Done;
    }

    /// <summary>Under the same hold of the lock as <see cref="CanSend"/>.</summary>
    /// <param name="numbers">Those that were reserved, and 0 elsewhere; gets the ones that were given. Null: nobody asks.</param>
    internal void Take(MessageContent[] messages, long[]? numbers, DateTimeOffset now)
    {
        for (var i = 0; i < messages.Length; i++)
        {
            var number = _contents.Add(messages[i], now, numbers?[i] ?? 0);
            if (numbers is not null)
                numbers[i] = number;
        }
        Touch(now);
    }

    /// <summary>Under the lock: whether the message would be settled now.</summary>
    /// <param name="message">That is locked; null when the lock is lost.</param>
    internal QueueResult CanSettle(Guid token, Settlement settlement, DateTimeOffset now, out QueuedMessage? message)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        message = Failure is null ? _contents.FindLocked(token, now) : null;
        if (message is null)
        {
            _contents.Totals.CountLate(settlement);
            return _sessions is null ? QueueResult.LockLost : QueueResult.SessionLockLost;
        }
        if (settlement is Settlement.DeadLettered && DeadLetterQueue is null)
            return QueueResult.NotAllowed;
        return PropertySize.Fits(message, settlement) ? QueueResult.Done : QueueResult.PropertiesTooLarge;
    }

    /// <summary>Under the same hold of the lock as <see cref="CanSettle"/>.</summary>
    internal void Take(QueuedMessage locked, Settlement settlement, DateTimeOffset now)
    {
        _contents.Settle(locked, settlement);
        Touch(now);
    }

    /// <summary>Under the lock: whether all of the messages are scheduled.</summary>
    internal bool CanCancel(IReadOnlyList<long> sequenceNumbers) => Failure is null && _contents.AreScheduled(sequenceNumbers);

    /// <summary>Under the same hold of the lock as <see cref="CanCancel"/>.</summary>
    internal void TakeCancel(IReadOnlyList<long> sequenceNumbers, DateTimeOffset now)
    {
        _contents.Cancel(sequenceNumbers);
        Touch(now);
    }

    /// <returns>Whether there may be messages to hand out now.</returns>
    private static bool Apply(QueueRequest request, DateTimeOffset now)
    {
        if (!request.Check(now))
            return false;
        request.Apply(now);
        return request.BringsMessages;
    }

    private void CompleteInTurn(RequestBatch batch)
    {
        batch.Complete([.. batch.Requests.Where(request => request.IsRefused)]);
        List<QueueRequest> done = [.. batch.Requests.Where(request => !request.IsRefused)];
        WhenKept(() => batch.Complete(done));
    }

    private static bool HasNoSession(MessageContent[] messages)
    {
        foreach (var message in messages)
        {
            if (message.SessionId is null)
                return true;
        }
        return false;
    }
}
