namespace DroneDelivery.LocalServiceBus.Entities;

internal sealed partial class QueueContents
{
    // Random, so that lock tokens differ between queues and between restarts.
    private long _nonce = BitConverter.ToInt64(Guid.NewGuid().ToByteArray());

    public QueuedMessage? FindLocked(Guid token, DateTimeOffset now)
    {
        var message = Store.Find(MessageLock.SequenceNumberOf(token));
        return message?.Lock is { } held && held.Token == token && now < EndOf(message, held) ? message : null;
    }

    public DateTimeOffset Renew(QueuedMessage message)
    {
        message.Lock!.Until = clock.Now + Options.LockDuration;
        deadlines.Set(message, message.Lock.Until, isLock: true);
        return message.Lock.Until;
    }

    private bool IsDuplicate(MessageContent content, DateTimeOffset now)
    {
        var isDuplicate =
            Options.RequiresDuplicateDetection
            && _duplicates.IsKnown(content.MessageId, now, Options.DuplicateDetectionHistoryTimeWindow);
        if (isDuplicate)
            Totals.Duplicates++;
        return isDuplicate;
    }

    private QueuedMessage Number(QueuedMessage message, long reserved = 0)
    {
        message.SequenceNumber = reserved > 0 ? reserved : ReserveNumber();
        message.Lane = LaneOf(message.Content);
        return message;
    }

    private Lane LaneOf(MessageContent content) => sessions is null ? Lane : sessions.Of(content.SessionId!);

    private void Schedule(QueuedMessage message)
    {
        Put(message, MessageState.Scheduled);
        deadlines.Set(message, message.Content.ScheduledEnqueueTime!.Value);
    }

    private void Activate(QueuedMessage message, DateTimeOffset now, DateTimeOffset? latestEnd = null)
    {
        var timeToLive =
            message.Content.TimeToLive is { } own && own < Options.DefaultMessageTimeToLive
                ? own
                : Options.DefaultMessageTimeToLive;
        var end = timeToLive < DateTimeOffset.MaxValue - now ? now + timeToLive : DateTimeOffset.MaxValue;
        message.ExpiresAt = latestEnd < end ? latestEnd.Value : end;
        Put(message, MessageState.Active);
        deadlines.Set(message, message.ExpiresAt);
    }

    private void RecordArrival(QueuedMessage message, DateTimeOffset now)
    {
        Record(Transition.Arrived, message);
        if (Options.RequiresDuplicateDetection)
            _duplicates.Keep(message.Content.MessageId, now);
    }

    private MessageLock? Take(QueuedMessage message, ReceiveMode mode)
    {
        Store.Move(message, MessageState.Locked);
        if (mode == ReceiveMode.PeekLock)
            return BeginLock(message);
        deadlines.Clear(message);
        return null;
    }

    /// <summary>Locks the message for the lock duration or, with sessions, until the session lock expires.</summary>
    private MessageLock BeginLock(QueuedMessage message)
    {
        var session = message.Lane as Session;
        var until = session?.LockedUntil ?? clock.Now + Options.LockDuration;
        message.Lock = new MessageLock(MessageLock.TokenFor(message.SequenceNumber, ++_nonce), until);
        if (session is null)
        {
            deadlines.Set(message, until, isLock: true);
        }
        else
        {
            session.Locked.Add(message);
            deadlines.Clear(message);
        }
        return message.Lock;
    }

    private static DateTimeOffset EndOf(QueuedMessage message, MessageLock held) =>
        message.Lane is Session session ? session.LockedUntil : held.Until;

    private void EndLock(QueuedMessage message)
    {
        Totals.ExpiredLocks++;
        Fail(message);
    }

    private static bool IsUnderWay(QueuedMessage message, MessageLock? held) =>
        message.State == MessageState.Locked && message.Lock == held;

    // The timer that ends session locks can be late.
    private bool HasEnded(Lane lane) =>
        lane is Session { Holder: not null } session && session.LockedUntil <= clock.Now;

    private void Fail(QueuedMessage message)
    {
        message.DeliveryCount++;
        if (message.DeliveryCount < Options.MaxDeliveryCount || deadLetterQueue is null)
        {
            Return(message, Transition.Failed);
            return;
        }
        DeadLetter(
            message,
            deadLetterQueue,
            DeadLetterReason.MaxDeliveryCountExceeded,
            $"Message could not be consumed after {message.DeliveryCount} delivery attempts."
        );
    }

    /// <summary>Returns a locked message to its position in the queue.</summary>
    private void Return(QueuedMessage message, Transition transition)
    {
        Unlock(message);
        deadlines.Clear(message);
        if (message.IsDeferred)
        {
            Store.Move(message, MessageState.Deferred);
        }
        else
        {
            if (ExpireIfDue(message))
                return;
            Store.Move(message, MessageState.Active);
            message.Lane.Return(message);
            sessions?.OnActive(message);
            deadlines.Set(message, message.ExpiresAt);
        }
        Record(transition, message);
    }

    private bool ExpireIfDue(QueuedMessage message)
    {
        if (message.ExpiresAt == DateTimeOffset.MaxValue || message.ExpiresAt > clock.Now)
            return false;
        Expire(message);
        return true;
    }

    private void Expire(QueuedMessage message)
    {
        if (Options.DeadLetteringOnMessageExpiration && deadLetterQueue is { } queue)
        {
            DeadLetter(
                message,
                queue,
                DeadLetterReason.TimeToLiveExpired,
                "The message expired and was dead lettered."
            );
            return;
        }
        Remove(message, Transition.Expired);
    }

    private void DeadLetter(QueuedMessage message, Queue deadLetters, string? reason, string? description)
    {
        Remove(message, Transition.DeadLettered);
        deadLetters.AcceptDeadLetter(message, DeadLetterReason.Properties(reason, description));
    }

    private void Remove(QueuedMessage message, Transition transition)
    {
        Remove(message);
        Record(transition, message);
    }

    private void Remove(QueuedMessage message)
    {
        if (message.State == MessageState.Active)
            message.Lane.Remove(message);
        Unlock(message);
        deadlines.Clear(message);
        TakeOut(message);
    }

    private void Put(QueuedMessage message, MessageState state)
    {
        Store.Add(message, state);
        if (state == MessageState.Active)
            message.Lane.Arrive(message);
        sessions?.OnPut(message);
    }

    private void TakeOut(QueuedMessage message)
    {
        Store.Remove(message);
        sessions?.OnTakenOut(message);
    }

    private void Unlock(QueuedMessage message)
    {
        message.Lock = null;
        if (sessions is not null)
            ((Session)message.Lane).Locked.Remove(message);
    }

    private void Record(Transition transition, QueuedMessage message)
    {
        Totals.Count(transition);
        journal.Record(transition, message);
    }
}
