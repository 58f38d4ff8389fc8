using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

// How messages go out: handed to receivers, locked, settled. A lock ends a lock duration after the delivery or its last renewal.
internal sealed partial class QueueContents
{
    // Random, so that the tokens of two queues, or of a broker before and after its restart, do not meet.
    private long _nonce = BitConverter.ToInt64(Guid.NewGuid().ToByteArray());

    /// <summary>Those that have had credit and are not closed.</summary>
    public int Receivers { get; private set; }

    /// <summary>When the last of them was closed, or a scheduled message came due.</summary>
    public DateTimeOffset UsedAt { get; private set; }

    public void Count(QueueReceiver receiver)
    {
        if (receiver.IsOwn || receiver.IsCounted || receiver.IsClosed)
            return;
        receiver.IsCounted = true;
        Receivers++;
    }

    public void CountNoMore(QueueReceiver receiver)
    {
        if (!receiver.IsCounted)
            return;
        receiver.IsCounted = false;
        Receivers--;
        UsedAt = clock.Now;
    }

    /// <returns>The lock; null in receive-and-delete mode.</returns>
    public MessageLock? BeginDelivery(QueuedMessage message, ReceiveMode mode)
    {
        message.Lane.Remove(message);
        return Take(message, mode);
    }

    public void EndDelivery(QueuedMessage message, ReceiveMode mode)
    {
        Totals.Outgoing++;
        if (message.DeliveryCount > 0)
            Totals.Redelivered++;
        // The queue can have been deleted since the delivery began; then the message is gone already.
        if (mode == ReceiveMode.ReceiveAndDelete && message.State == MessageState.Locked)
            Remove(message, Transition.Completed);
    }

    /// <summary>Undoes <see cref="BeginDelivery"/>: the message was not sent.</summary>
    public void TakeBack(QueuedMessage message, MessageLock? held)
    {
        if (IsUnderWay(message, held))
            Return(message, Transition.Released);
    }

    /// <summary>The attempt to send the message failed. It counts, so that a message which nobody can send does not stay at the head of
    /// the queue for ever.</summary>
    public void FailDelivery(QueuedMessage message, MessageLock? held)
    {
        if (IsUnderWay(message, held))
            Fail(message);
    }

    public void Settle(QueuedMessage message, Settlement settlement)
    {
        if (settlement.Properties is { } changes)
            Store.ChangeProperties(message, changes);
        switch (settlement)
        {
            case Settlement.Completed:
                Remove(message, Transition.Completed);
                break;
            case Settlement.Released:
                Return(message, Transition.Released);
                break;
            case Settlement.Abandoned:
                Totals.Abandoned++;
                Fail(message);
                break;
            case Settlement.Deferred:
                message.IsDeferred = true;
                Return(message, Transition.Deferred);
                break;
            case Settlement.DeadLettered dead:
                DeadLetter(message, dead.Reason, dead.Description);
                break;
            default:
                throw new UnreachableException($"A settlement {settlement}.");
        }
    }

    public IReadOnlyList<(QueuedMessage Message, MessageLock? Lock)>? ReceiveDeferred(
        IReadOnlyList<long> sequenceNumbers,
        ReceiveMode mode,
        long mostBytes,
        string? sessionId
    )
    {
        var messages = new List<QueuedMessage>(sequenceNumbers.Count);
        foreach (var number in sequenceNumbers.Distinct())
        {
            // The time to live of a deferred message is looked at only now.
            if (
                Store.Find(number) is not { State: MessageState.Deferred } message
                || (sessionId is not null && message.Content.SessionId != sessionId)
                || ExpireIfDue(message)
            )
            {
                return null;
            }

            messages.Add(message);
        }
        if (messages.Count > 1 && messages.Sum(message => message.Size) > mostBytes)
            return [];
        var taken = new List<(QueuedMessage, MessageLock?)>(messages.Count);
        foreach (var message in messages)
        {
            var held = Take(message, mode);
            taken.Add((message.Copy(), held));
            EndDelivery(message, mode);
        }
        return taken;
    }

    /// <param name="sequenceNumbers">See <see cref="AreScheduled"/>.</param>
    public void Cancel(IReadOnlyList<long> sequenceNumbers)
    {
        foreach (var number in sequenceNumbers.Distinct())
            Remove(Store.Find(number)!, Transition.Cancelled);
    }

    public bool AreScheduled(IEnumerable<long> sequenceNumbers) =>
        sequenceNumbers.All(number => Store.Find(number) is { State: MessageState.Scheduled });

    public void EndMove(QueuedMessage message)
    {
        if (message.State == MessageState.Locked)
            Remove(message, Transition.Completed);
    }

    public void EndTransfer(
        QueuedMessage message,
        Queue transferDeadLetters,
        IReadOnlyDictionary<string, object?> reason
    )
    {
        if (message.State != MessageState.Locked)
            return;
        Remove(message, Transition.DeadLettered);
        transferDeadLetters.AcceptDeadLetter(message, reason);
    }

    private MessageLock? Take(QueuedMessage message, ReceiveMode mode)
    {
        Store.Move(message, MessageState.Locked);
        if (mode == ReceiveMode.ReceiveAndDelete)
        {
            deadlines.Clear(message);
            return null;
        }
        return BeginLock(message);
    }

    /// <summary>The message that is locked with that token; null when the lock has ended.</summary>
    public QueuedMessage? FindLocked(Guid token, DateTimeOffset now)
    {
        var message = Store.Find(MessageLock.SequenceNumberOf(token));
        return message?.Lock is { } held && held.Token == token && now < EndOf(message, held) ? message : null;
    }

    /// <summary>Of a message that is locked.</summary>
    public DateTimeOffset Renew(QueuedMessage message)
    {
        message.Lock!.Until = clock.Now + Options.LockDuration;
        deadlines.Set(message, message.Lock.Until, isLock: true);
        return message.Lock.Until;
    }

    private MessageLock BeginLock(QueuedMessage message)
    {
        var token = MessageLock.TokenFor(message.SequenceNumber, ++_nonce);
        if (sessions is null)
        {
            message.Lock = new MessageLock(token, clock.Now + Options.LockDuration);
            deadlines.Set(message, message.Lock.Until, isLock: true);
            return message.Lock;
        }
        // It ends with the lock on its session.
        var session = (Session)message.Lane;
        session.Locked.Add(message);
        message.Lock = new MessageLock(token, session.LockedUntil);
        deadlines.Clear(message);
        return message.Lock;
    }

    private static DateTimeOffset EndOf(QueuedMessage message, MessageLock held) =>
        message.Lane is Session session ? session.LockedUntil : held.Until;

    /// <summary>Its time has come and nobody has settled: the delivery has failed.</summary>
    private void EndLock(QueuedMessage message)
    {
        Totals.ExpiredLocks++;
        Fail(message);
    }

    /// <summary>The lock can have run out since the delivery began; then the message is back already.</summary>
    private static bool IsUnderWay(QueuedMessage message, MessageLock? held) =>
        message.State == MessageState.Locked && message.Lock == held;

    /// <summary>The receiver gives the session back, or its lock has ended: then what it has not settled counts as failed.</summary>
    public void EndHold(Session session, bool isExpired)
    {
        QueuedMessage[] held = [.. session.Locked.OrderBy(message => message.SequenceNumber)];
        sessions!.TakeBack(session);
        foreach (var message in held)
        {
            if (isExpired)
                EndLock(message);
            else
                Return(message, Transition.Released);
        }
        sessions.DropIfUnused(session);
    }

    /// <summary>The timer that takes the session from its receiver may be late.</summary>
    private bool HasEnded(Lane lane) =>
        lane is Session { Holder: not null } session && session.LockedUntil <= clock.Now;
}
