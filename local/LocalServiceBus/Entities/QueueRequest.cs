namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What a client asks of a queue: alone, together with others (see <see cref="Queue.Do(RequestBatch)"/>), or as a step of a
/// transaction. It is checked and done under one hold of the queue's lock.</summary>
/// <param name="whenFailed">The result until it is done, and if the queue fails meanwhile.</param>
internal abstract class QueueRequest(Queue queue, QueueResult whenFailed)
{
    public Queue Queue => queue;

    public QueueResult Result { get; private set; } = whenFailed;

    /// <summary>Nothing was changed, so there is nothing to keep.</summary>
    public bool IsRefused => Result != QueueResult.Done;

    /// <summary>Whether messages may be handed out when it is done.</summary>
    public virtual bool BringsMessages => false;

    /// <summary>Messages that it is about.</summary>
    public virtual int Count => 1;

    /// <summary>What it keeps in memory until its transaction ends, in bytes.</summary>
    public abstract long Size { get; }

    /// <summary>What no other step of the transaction may have; empty: nothing.</summary>
    public virtual IEnumerable<object> Claims => [];

    /// <summary>Under the queue's lock: whether it can be done now. If not, the result is the reason.</summary>
    public bool Check(DateTimeOffset now)
    {
        var answer = CanDo(now);
        if (answer != QueueResult.Done)
            Result = answer;
        return answer == QueueResult.Done;
    }

    /// <summary>Under the same hold of the lock.</summary>
    public void Apply(DateTimeOffset now)
    {
        Do(now);
        Queue.Use.Touch(now);
        Result = QueueResult.Done;
    }

    /// <summary>Under the lock: does it, if it can be done now.</summary>
    /// <returns><c>true</c> if it may bring messages for receivers.</returns>
    public bool TryDo(DateTimeOffset now)
    {
        if (!Check(now))
            return false;
        Apply(now);
        return BringsMessages;
    }

    /// <summary>The result is there and will stay so. Called once, in the order of the requests, and of a step only if its transaction is
    /// committed; must not block.</summary>
    public virtual void Complete() { }

    protected abstract QueueResult CanDo(DateTimeOffset now);

    protected abstract void Do(DateTimeOffset now);
}

/// <summary>A client's requests to one queue: see <see cref="Queue.Do(RequestBatch)"/>.</summary>
/// <param name="complete">Responds to requests of the batch.</param>
internal sealed class RequestBatch(Action<RequestBatch, List<QueueRequest>> complete)
{
    /// <summary><c>null</c> while the batch isn't used.</summary>
    public Queue? Queue { get; set; }

    public List<QueueRequest> Requests { get; } = [];

    /// <summary>The same delegate for all uses of the batch.</summary>
    public Action CompleteAll => field ??= () => Complete(Requests);

    public void Complete(List<QueueRequest> requests) => complete(this, requests);
}

/// <summary>Sends or schedules messages: all of them are accepted, or none. Duplicates count as accepted.</summary>
/// <param name="isNumbered">Whether the sender is told their numbers ahead of the commit of a transaction.</param>
internal class SendRequest(Queue queue, MessageContent[] messages, bool isNumbered = false)
    : QueueRequest(queue, QueueResult.Failed)
{
    /// <summary>Those of the messages: what was reserved and 0 elsewhere, then those that were given, 0 for a duplicate. Null: nobody
    /// asks.</summary>
    public long[]? Numbers { get; set; }

    public override bool BringsMessages => true;

    public override int Count => messages.Length;

    public override long Size => messages.Sum(message => MemorySize.Request + message.WireSize);

    protected override QueueResult CanDo(DateTimeOffset now)
    {
        var answer = Queue.CanSend(messages);
        if (isNumbered && answer == QueueResult.Done)
            Numbers ??= [.. messages.Select(_ => Queue.Contents.ReserveNumber())];
        return answer;
    }

    protected override void Do(DateTimeOffset now)
    {
        for (var i = 0; i < messages.Length; i++)
        {
            var number = Queue.Contents.Add(messages[i], now, Numbers?[i] ?? 0);
            if (Numbers is not null)
                Numbers[i] = number;
        }
    }
}

/// <summary>Settles a message that a receiver holds. It is named by its lock token, so that a receiver which never settles keeps no message
/// in memory.</summary>
internal class SettleRequest(Queue queue, Guid token, Settlement settlement) : QueueRequest(queue, QueueResult.LockLost)
{
    private QueuedMessage? _locked;

    public override bool BringsMessages => settlement is Settlement.Released or Settlement.Abandoned;

    public override long Size => MemorySize.Request + MemorySize.Of(settlement);

    public override IEnumerable<object> Claims => [(Queue, token)];

    protected override QueueResult CanDo(DateTimeOffset now)
    {
        _locked = Queue.Failure is null ? Queue.Contents.FindLocked(token, now) : null;
        if (_locked is null)
        {
            Queue.Contents.Totals.CountLate(settlement);
            return Queue.Options.RequiresSession ? QueueResult.SessionLockLost : QueueResult.LockLost;
        }
        if (settlement is Settlement.DeadLettered && Queue.DeadLetterQueue is null)
            return QueueResult.NotAllowed;
        return MemorySize.Fits(_locked, settlement) ? QueueResult.Done : QueueResult.PropertiesTooLarge;
    }

    protected override void Do(DateTimeOffset now)
    {
        Queue.Contents.Settle(_locked!, settlement);
        _locked = null;
    }
}

/// <summary>Cancels scheduled messages: all of them, or none when one is not scheduled (any more).</summary>
internal sealed class CancelScheduledRequest(Queue queue, IReadOnlyList<long> numbers)
    : QueueRequest(queue, QueueResult.NotScheduled)
{
    public override int Count => numbers.Count;

    public override long Size => MemorySize.Request + (sizeof(long) * numbers.Count);

    public override IEnumerable<object> Claims => numbers.Distinct().Select(number => (object)(Queue, number));

    protected override QueueResult CanDo(DateTimeOffset now) =>
        Queue.Failure is null && Queue.Contents.AreScheduled(numbers) ? QueueResult.Done : QueueResult.NotScheduled;

    protected override void Do(DateTimeOffset now) => Queue.Contents.Cancel(numbers);
}

/// <summary>Sets what the receiver of a session keeps with it.</summary>
/// <param name="state"><c>null</c> removes it.</param>
/// <param name="by">As in <see cref="QueueSessions.Renew"/>.</param>
internal sealed class SetStateRequest(Queue queue, string sessionId, byte[]? state, LinkId? by)
    : QueueRequest(queue, QueueResult.SessionLockLost)
{
    public override long Size => MemorySize.Request + (state?.Length ?? 0);

    protected override QueueResult CanDo(DateTimeOffset now) => Queue.Sessions!.CanSetState(sessionId, state, by, now);

    protected override void Do(DateTimeOffset now) => Queue.Sessions!.SetState(sessionId, state);
}
