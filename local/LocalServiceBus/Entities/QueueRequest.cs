namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A client's operation on a queue: alone, in a batch, or in a transaction. The lock is held from the check to
/// the end of the execution.</summary>
/// <param name="whenFailed">The initial result, which remains if the queue fails before the operation.</param>
internal abstract class QueueRequest(Queue queue, QueueResult whenFailed)
{
    public Queue Queue => queue;

    public QueueResult Result { get; private set; } = whenFailed;

    public bool IsRejected => Result != QueueResult.Done;

    /// <summary><c>true</c> if the operation can make messages available to receivers.</summary>
    public virtual bool BringsMessages => false;

    public virtual int Count => 1;

    /// <summary>The memory in bytes that the request occupies until its transaction ends.</summary>
    public abstract long Size { get; }

    /// <summary>Keys that no other operation of the transaction may use.</summary>
    public virtual IEnumerable<object> Claims => [];

    /// <summary>Checks whether the operation is possible and sets the result if not. Requires the lock.</summary>
    public bool Check(DateTimeOffset now)
    {
        var answer = CanDo(now);
        if (answer != QueueResult.Done)
            Result = answer;
        return answer == QueueResult.Done;
    }

    public void Apply(DateTimeOffset now)
    {
        Do(now);
        Queue.Use.Touch(now);
        Result = QueueResult.Done;
    }

    /// <summary>Executes the operation if possible. Requires the lock.</summary>
    public bool TryDo(DateTimeOffset now)
    {
        if (!Check(now))
            return false;
        Apply(now);
        return BringsMessages;
    }

    /// <summary>Called once when the result is final, in the order of the requests; in a transaction, only after the
    /// commit. Must not block.</summary>
    public virtual void Complete() { }

    protected abstract QueueResult CanDo(DateTimeOffset now);

    protected abstract void Do(DateTimeOffset now);
}

internal sealed class RequestBatch(Action<RequestBatch, List<QueueRequest>> complete)
{
    public Queue? Queue { get; set; }

    public List<QueueRequest> Requests { get; } = [];

    public Action CompleteAll => field ??= () => Complete(Requests);

    public void Complete(List<QueueRequest> requests) => complete(this, requests);
}

/// <summary>Sends or schedules messages, all or none. Duplicates count as accepted.</summary>
/// <param name="isNumbered"><c>true</c> if the sender gets the sequence numbers before the transaction commits.</param>
internal class SendRequest(Queue queue, MessageContent[] messages, bool isNumbered = false)
    : QueueRequest(queue, QueueResult.Failed)
{
    /// <summary>The sequence numbers: before execution, reserved ones or 0; afterward, the assigned ones, or 0 for a
    /// duplicate. <c>null</c> if the sender doesn't need them.</summary>
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

/// <summary>Settles a message by lock token, without a reference to it.</summary>
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

/// <summary>Cancels scheduled messages, all or none.</summary>
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

internal sealed class SetStateRequest(Queue queue, string sessionId, byte[]? state, LinkId? by)
    : QueueRequest(queue, QueueResult.SessionLockLost)
{
    public override long Size => MemorySize.Request + (state?.Length ?? 0);

    protected override QueueResult CanDo(DateTimeOffset now) => Queue.Sessions!.CanSetState(sessionId, state, by, now);

    protected override void Do(DateTimeOffset now) => Queue.Sessions!.SetState(sessionId, state);
}
