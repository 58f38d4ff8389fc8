using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The messages of one queue and their state transitions:
/// <code>
/// scheduled ──▶ active ◀──▶ locked ──▶ gone (completed, dead-lettered, expired)
///                              ▲▼
///                           deferred
/// </code>
/// Each transition ends in <see cref="Record"/>, which counts and journals it. The queue's lock guards everything.</summary>
internal sealed partial class QueueContents(
    MonotonicClock clock,
    QueueUse use,
    Deadlines deadlines,
    MemoryShare memory,
    IQueueJournal journal,
    Queue? deadLetterQueue,
    SessionTable? sessions
)
{
    private readonly DuplicateDetection _duplicates = new(memory, journal);

    public required QueueOptions Options { get; set; }

    public MessageStore Store { get; } = new(memory);

    public Lane Lane { get; } = new();

    /// <summary>The memory of messages, sessions, and IDs for duplicate detection. Can be read without the
    /// lock.</summary>
    public long SizeInBytes => memory.Held;

    /// <summary>Totals since the queue was created. Excludes current values.</summary>
    public QueueCounts Totals { get; } = new();

    public long LastSequenceNumber { get; private set; }

    public QueuedMessage? NextIn(Lane lane) =>
        Options.Status is EntityStatus.Active or EntityStatus.SendDisabled && (sessions is null || !HasEnded(lane))
            ? lane.Next
            : null;

    public QueueCounts ToCounts() =>
        Totals with
        {
            Active = Store.CountOf(MessageState.Active),
            Locked = Store.CountOf(MessageState.Locked),
            Deferred = Store.CountOf(MessageState.Deferred),
            Scheduled = Store.CountOf(MessageState.Scheduled),
            SizeInBytes = SizeInBytes,
        };

    /// <param name="reserved">A number from <see cref="ReserveNumber"/> for a scheduled message; 0 for the next
    /// number.</param>
    /// <returns>The sequence number; 0 for a duplicate, which is dropped.</returns>
    public long Add(MessageContent content, DateTimeOffset now, long reserved = 0)
    {
        if (IsDuplicate(content, now))
            return 0;
        var isScheduled = content.ScheduledEnqueueTime > now;
        var message = Number(new QueuedMessage(content, now), isScheduled ? reserved : 0);
        message.EnqueuedSequenceNumber = message.SequenceNumber;
        if (isScheduled)
            Schedule(message);
        else
            Activate(message, now);
        RecordArrival(message, now);
        return message.SequenceNumber;
    }

    /// <summary>Reserves a number for a scheduled message. If the message is due when it's added, it gets another
    /// number, because numbers in a lane must increase.</summary>
    public long ReserveNumber() => ++LastSequenceNumber;

    /// <summary>Adds a message from the topic. It keeps its original number and expires no later than the
    /// original.</summary>
    public void TakeOver(QueuedMessage original, MessageContent content)
    {
        if (sessions is not null && content.SessionId is null)
        {
            TakeOverDead(
                original,
                content,
                DeadLetterReason.SessionIdIsNull,
                "The message has no session ID, but the entity requires sessions."
            );
            return;
        }
        var message = Number(new QueuedMessage(content, original.EnqueuedAt, original));
        // From the original enqueue time, because receivers add the time to live to it.
        Activate(message, message.EnqueuedAt, original.ExpiresAt);
        Record(Transition.Arrived, message);
    }

    public void TakeOverDead(QueuedMessage original, MessageContent content, string reason, string description) =>
        deadLetterQueue!.AcceptDeadLetter(
            new QueuedMessage(content, original.EnqueuedAt, original),
            DeadLetterReason.Properties(reason, description)
        );

    /// <summary>Adds a forwarded message unless it's a duplicate. It keeps its original number and expires no later
    /// than the original.</summary>
    public void AddForwarded(
        QueuedMessage original,
        MessageContent content,
        string? deadLetterSource,
        DateTimeOffset now
    )
    {
        if (IsDuplicate(content, now))
            return;
        var message = Number(
            new QueuedMessage(content, now, original)
            {
                Hops = original.Hops + 1,
                DeadLetterSource = deadLetterSource ?? original.DeadLetterSource,
            }
        );
        Activate(message, now, original.ExpiresAt);
        RecordArrival(message, now);
    }

    /// <summary>Adds a dead letter from the parent queue. Dead letters don't expire.</summary>
    public void AddDeadLetter(QueuedMessage dead, IReadOnlyDictionary<string, object?> reason)
    {
        var message = Number(
            new QueuedMessage(dead.Content, dead.EnqueuedAt, dead)
            {
                JournalId = dead.JournalId,
                DeliveryCount = dead.DeliveryCount,
            }
        );
        message.ChangeProperties(reason);
        Put(message, MessageState.Active);
        Record(Transition.Arrived, message);
    }

    public void Restore(QueuedMessage message)
    {
        Totals.Count(Transition.Arrived);
        message.Lane = LaneOf(message.Content);
        if (message.State == MessageState.Scheduled)
        {
            Schedule(message);
            return;
        }
        Put(message, message.State);
        if (message.State == MessageState.Active)
            deadlines.Set(message, message.ExpiresAt);
    }

    public void Restore(long lastSequenceNumber) => LastSequenceNumber = lastSequenceNumber;

    public void Restore(string messageId, DateTimeOffset seenAt) => _duplicates.TryRemember(messageId, seenAt);

    public void ForgetDuplicates() => _duplicates.Forget(clock.Now, Options.DuplicateDetectionHistoryTimeWindow);

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
        if (mode == ReceiveMode.ReceiveAndDelete && message.State == MessageState.Locked)
            Remove(message, Transition.Completed);
    }

    /// <summary>Reverts <see cref="BeginDelivery"/> for a message that wasn't sent.</summary>
    public void TakeBack(QueuedMessage message, MessageLock? held)
    {
        if (IsUnderWay(message, held))
            Return(message, Transition.Released);
    }

    /// <summary>Counts a failed attempt to send, so that an unsendable message doesn't block the queue.</summary>
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
                DeadLetter(message, deadLetterQueue!, dead.Reason, dead.Description);
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
            // Deferred messages expire only when they're accessed.
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

    public bool AreScheduled(IEnumerable<long> sequenceNumbers) =>
        sequenceNumbers.All(number => Store.Find(number) is { State: MessageState.Scheduled });

    public void Cancel(IReadOnlyList<long> sequenceNumbers)
    {
        foreach (var number in sequenceNumbers.Distinct())
            Remove(Store.Find(number)!, Transition.Cancelled);
    }

    /// <summary>Ends the delivery of a message that was moved to another entity.</summary>
    public void EndMove(QueuedMessage message)
    {
        if (message.State == MessageState.Locked)
            Remove(message, Transition.Completed);
    }

    /// <summary>Ends the delivery of a message that another entity rejected.</summary>
    public void EndTransfer(QueuedMessage message, Queue transferDeadLetters, string reason, string description)
    {
        if (message.State == MessageState.Locked)
            DeadLetter(message, transferDeadLetters, reason, description);
    }

    /// <summary>Ends a receiver's session lock. If the lock has expired, its deliveries count as failed.</summary>
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

    public void OnDue(QueuedMessage message)
    {
        switch (message.State)
        {
            case MessageState.Locked:
                EndLock(message);
                break;
            case MessageState.Active:
                Expire(message);
                sessions?.WakeHolderOf(message.Lane); // The holder may have stopped because of too many expired messages.
                break;
            case MessageState.Scheduled:
                TakeOut(message);
                Number(message); // Assigns a lane again, because its session may no longer exist.
                message.EnqueuedAt = message.Content.ScheduledEnqueueTime!.Value;
                Activate(message, message.EnqueuedAt);
                use.EndedAt = message.EnqueuedAt;
                Record(Transition.CameDue, message);
                break;
            default:
                throw new UnreachableException($"Unexpected deadline of a message in state {message.State}.");
        }
    }

    /// <summary>Expires messages at the head of a lane in case the timer is late.</summary>
    /// <returns><c>false</c> if more messages are due, which the timer will expire.</returns>
    public bool ExpireHead(Lane lane, int limit)
    {
        while (NextIn(lane) is { } next && ExpireIfDue(next))
        {
            if (--limit == 0)
                return false;
        }
        return true;
    }

    /// <summary>Copies messages into <paramref name="found"/> up to <paramref name="count"/>. Removes expired deferred
    /// messages; otherwise, each peek would find them again.</summary>
    /// <returns>The number to continue from; <c>null</c> at the end.</returns>
    public long? Peek(long from, int count, List<QueuedMessage> found, int limit, string? sessionId)
    {
        var now = clock.Now;
        long? next = null;
        var expired = new List<QueuedMessage>();
        foreach (var message in Store.From(from))
        {
            if (limit-- == 0)
            {
                next = message.SequenceNumber;
                break;
            }
            if (sessionId is not null && message.Content.SessionId != sessionId)
                continue;
            if (message.State == MessageState.Locked || message.ExpiresAt > now)
                found.Add(message.Copy());
            else if (message.State == MessageState.Deferred)
                expired.Add(message);
            if (found.Count == count)
                break;
        }
        expired.ForEach(Expire);
        return next;
    }

    /// <param name="numbers">The range of sequence numbers. Its start advances past the checked messages.</param>
    public int Drop(ref (long First, long Last) numbers, int limit, int mostChecked, Func<QueuedMessage, bool> mayGo)
    {
        var last = numbers.Last;
        var found = Store
            .From(numbers.First)
            .TakeWhile(message => message.SequenceNumber <= last)
            .Take(mostChecked)
            .ToList();
        numbers.First = found.Count < mostChecked ? last + 1 : found[^1].SequenceNumber + 1;
        var going = found.Where(mayGo).Take(limit).ToList();
        going.ForEach(message => Remove(message, Transition.Purged));
        return going.Count;
    }

    /// <summary>Removes messages in any state without recording it, because the queue is deleted or the broker is
    /// stopping.</summary>
    /// <returns><c>true</c> if messages remain.</returns>
    public bool Clear(int limit)
    {
        Store.From(0).Take(limit).ToList().ForEach(Remove);
        return Store.Count > 0;
    }

    public void Release() => memory.Release();
}
