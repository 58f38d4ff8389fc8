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
        _parent is not null ? _parent.TopLevel
        : QueueOptions.TrySplit(Name, out var topic, out _) ? topic
        : Name;

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

    /// <summary>Under the lock.</summary>
    internal QueueContents Contents => _contents;

    /// <summary>Under the lock: whether the messages would be accepted now.</summary>
    internal QueueResult CanSend(MessageContent[] messages) =>
        Failure is not null ? QueueResult.Failed
        : CanTake(messages) is not QueueResult.Done and var refusal ? refusal
        : _memory.IsExhausted ? QueueResult.BrokerFull
        : JournalTrouble is not null ? QueueResult.NotKept
        : QueueResult.Done;

    private QueueResult CanTake(params ReadOnlySpan<MessageContent> messages)
    {
        if (IsSendDisabled)
            return QueueResult.Disabled;
        if (_contents.IsFull())
            return QueueResult.QuotaExceeded;
        if (_sessions is null)
            return QueueResult.Done;
        foreach (var message in messages)
        {
            if (message.SessionId is null)
                return QueueResult.NoSession;
        }
        return QueueResult.Done;
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
}
