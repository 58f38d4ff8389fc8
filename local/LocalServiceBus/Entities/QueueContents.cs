using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The messages of one queue and their moves between states:
/// <code>
///   scheduled ──▶ active ◀──▶ locked ──▶ gone (completed, dead-lettered, expired)
///                                ▲▼
///                             deferred
/// </code>
/// Each move ends in <see cref="Record"/>, which counts it and tells the journal. Not safe for threads: its queue holds the lock.</summary>
/// <param name="gate">The queue's lock.</param>
/// <param name="clock">Of the broker.</param>
/// <param name="deadlines">Of the queue's messages.</param>
/// <param name="memory">Of the broker.</param>
/// <param name="journal">Keeps the contents.</param>
/// <param name="deadLetterQueue">Null in a dead-letter queue itself, and in the queue of a topic.</param>
/// <param name="sessions">Null in a queue without sessions.</param>
internal sealed partial class QueueContents(
    Lock gate,
    MonotonicClock clock,
    Deadlines deadlines,
    MemoryUse memory,
    IQueueJournal journal,
    Queue? deadLetterQueue,
    SessionTable? sessions)
{
    private readonly MessageStore _store = new(memory);
    private readonly Lane _lane = new();
    private readonly DuplicateDetection _duplicates = new(memory, journal);
    private long _lastSequenceNumber;

    /// <summary>What others hold that counts for this queue's limit; null: nothing.</summary>
    public Func<long>? HoldsBehind { get; set; }

    public required QueueOptions Options { get; set; }
    public MessageStore Store => _store;

    /// <summary>That of a queue without sessions.</summary>
    public Lane Lane => _lane;

    /// <summary>Messages, sessions and the ids that duplicate detection remembers.</summary>
    public long SizeInBytes => _store.SizeInBytes + _duplicates.SizeInBytes + (sessions?.SizeInBytes ?? 0);

    public QueueTotals Totals { get; } = new();

    /// <summary>The message that the next receiver of the lane gets; null when there is none or the queue gives none away.</summary>
    public QueuedMessage? NextIn(Lane lane) =>
        Options.Status is EntityStatus.Active or EntityStatus.SendDisabled && (sessions is null || !HasEnded(lane)) ? lane.Next : null;

    /// <summary>Whether queue, ids and dead-letter queue together have reached the limit. The last message or batch may
    /// exceed it.</summary>
    public bool IsFull()
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var limit = Options.MaxSizeInMegabytes * 1024 * 1024;
        if (WholeSize < limit)
            return false;
        _duplicates.Forget(clock.Now, Options.DuplicateDetectionHistoryTimeWindow);
        return WholeSize >= limit;
    }

    /// <summary>Expires messages at the head whose time is over while the timer that should have done it is late.</summary>
    /// <param name="lane">Whose head.</param>
    /// <param name="limit">Of messages, since the lock is held meanwhile.</param>
    /// <returns>False: there are more. That timer sees to them.</returns>
    public bool ExpireHead(Lane lane, int limit)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        while (NextIn(lane) is { } next && ExpireIfDue(next))
        {
            if (--limit == 0)
                return false;
        }
        return true;
    }

    /// <summary>Copies visible messages into <paramref name="found"/> until it has <paramref name="count"/>. Deferred messages
    /// whose time is over go, or every peek would look at them again.</summary>
    /// <param name="from">The first sequence number.</param>
    /// <param name="count">Of messages.</param>
    /// <param name="found">Added to.</param>
    /// <param name="limit">Of messages that are looked at.</param>
    /// <param name="sessionId">Whose messages; null: all.</param>
    /// <returns>Where to go on; null at the end.</returns>
    public long? Peek(long from, int count, List<QueuedMessage> found, int limit, string? sessionId)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var now = clock.Now;
        long? next = null;
        var expired = new List<QueuedMessage>();
        foreach (var message in _store.From(from))
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
        foreach (var message in expired)
            Expire(message);
        return next;
    }

    /// <param name="content">Of the message.</param>
    /// <param name="now">The time.</param>
    /// <param name="reserved">The number of <see cref="ReserveNumber"/> that a scheduled message gets; 0: the next.</param>
    /// <returns>The sequence number; 0 when the message was a duplicate and dropped.</returns>
    public long Add(MessageContent content, DateTimeOffset now, long reserved = 0)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (Options.RequiresDuplicateDetection && _duplicates.IsKnown(content.MessageId, now, Options.DuplicateDetectionHistoryTimeWindow))
        {
            Totals.Duplicates++;
            return 0;
        }
        var message = new QueuedMessage(content, now) { Lane = LaneOf(content) };
        var isScheduled = content.ScheduledEnqueueTime > now;
        message.SequenceNumber = message.EnqueuedSequenceNumber = isScheduled && reserved > 0 ? reserved : ++_lastSequenceNumber;
        if (isScheduled)
            Schedule(message, content.ScheduledEnqueueTime!.Value);
        else
            Activate(message, now);
        Record(Transition.Arrived, message);
        if (Options.RequiresDuplicateDetection)
            _duplicates.Keep(content.MessageId, now);
        return message.SequenceNumber;
    }

    /// <summary>A number for a message that may come later. One whose time has come by then gets another, as those of a lane
    /// rise.</summary>
    public long ReserveNumber()
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        return ++_lastSequenceNumber;
    }

    /// <summary>The message has the number of its original as the first one, and lives no longer than that.</summary>
    public long TakeOver(QueuedMessage original, MessageContent content, DateTimeOffset now)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (sessions is not null && content.SessionId is null)
        {
            return TakeOverDead(
                original, content, DeadLetterReason.SessionIdIsNull, "The message has no session id, and the entity requires sessions.");
        }

        var message = Copy(original, content);
        message.SequenceNumber = ++_lastSequenceNumber;
        message.Lane = LaneOf(content);
        Activate(message, now, original.ExpiresAt);
        Record(Transition.Arrived, message);
        return message.SequenceNumber;
    }

    public long TakeOverDead(QueuedMessage original, MessageContent content, string reason, string description)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        deadLetterQueue!.AcceptDeadLetter(Copy(original, content), DeadLetterReason.Properties(reason, description));
        return 0;
    }

    private static QueuedMessage Copy(QueuedMessage original, MessageContent content)
    {
        var copy = new QueuedMessage(content, original.EnqueuedAt)
        {
            EnqueuedSequenceNumber = original.EnqueuedSequenceNumber,
            Hops = original.Hops,
            DeadLetterSource = original.DeadLetterSource,
        };
        // A content that is not the original's has them already.
        if (ReferenceEquals(content, original.Content))
            copy.ChangeProperties(original.ChangedProperties);
        return copy;
    }

    /// <summary>A message that is under way has arrived elsewhere.</summary>
    public int EndMove(QueuedMessage message)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (message.State == MessageState.Locked)
            Remove(message, Transition.Completed);
        return 0;
    }

    /// <summary>Takes over what the parent queue could not get processed. Its time to live no longer counts.</summary>
    public void AddDeadLetter(QueuedMessage dead, IReadOnlyDictionary<string, object?> reason)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var message = new QueuedMessage(dead.Content, dead.EnqueuedAt)
        {
            JournalId = dead.JournalId,
            SequenceNumber = ++_lastSequenceNumber,
            EnqueuedSequenceNumber = dead.EnqueuedSequenceNumber,
            DeliveryCount = dead.DeliveryCount,
            Hops = dead.Hops,
            DeadLetterSource = dead.DeadLetterSource,
            Lane = _lane,
        };
        message.ChangeProperties(dead.ChangedProperties);
        message.ChangeProperties(reason);
        Put(message, MessageState.Active);
        Record(Transition.Arrived, message);
    }

    /// <summary>Takes in what the journal has kept. Messages come in the order of their numbers, ahead of all others.</summary>
    /// <param name="message">In the state in which it was; nobody holds it.</param>
    public void Restore(QueuedMessage message)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        Totals.Count(Transition.Arrived);
        message.Lane = LaneOf(message.Content);
        if (message.State == MessageState.Scheduled)
        {
            Schedule(message, message.Content.ScheduledEnqueueTime!.Value);
            return;
        }
        Put(message, message.State);
        if (message.State == MessageState.Active)
            deadlines.Set(message, message.ExpiresAt);
    }

    /// <summary>The same of the number that was given last, and of an id that duplicate detection has seen.</summary>
    public void Restore(long lastSequenceNumber) => _lastSequenceNumber = lastSequenceNumber;

    public void Restore(string messageId, DateTimeOffset seenAt) => _duplicates.TryRemember(messageId, seenAt);

    /// <returns>The lock; null in receive-and-delete mode.</returns>
    public MessageLock? BeginDelivery(QueuedMessage message, ReceiveMode mode)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        message.Lane.Remove(message);
        return Take(message, mode);
    }

    public void EndDelivery(QueuedMessage message, ReceiveMode mode)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
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
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (IsUnderWay(message, held))
            Return(message, Transition.Released);
    }

    /// <summary>The attempt to send the message failed. It counts, so that a message which nobody can send does not stay at the head of
    /// the queue for ever.</summary>
    public void FailDelivery(QueuedMessage message, MessageLock? held)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (IsUnderWay(message, held))
            Fail(message);
    }

    /// <summary>Whether the properties that a settlement changes keep within <see cref="PropertySize.Most"/>.</summary>
    public static bool Fits(QueuedMessage message, Settlement settlement) => settlement switch
    {
        Settlement.Abandoned abandoned => PropertySize.After(message, abandoned.Properties),
        Settlement.Deferred deferred => PropertySize.After(message, deferred.Properties),
        Settlement.DeadLettered dead => PropertySize.After(message, dead.Properties)
            + DeadLetterReason.Properties(dead.Reason, dead.Description).Sum(property => PropertySize.Of(property.Key, property.Value)),
        Settlement.Completed or Settlement.Released => 0,
        _ => throw new UnreachableException($"A settlement {settlement}."),
    } <= PropertySize.Most;

    public void Settle(QueuedMessage message, Settlement settlement)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        switch (settlement)
        {
            case Settlement.Completed:
                Remove(message, Transition.Completed);
                break;
            case Settlement.Released:
                Return(message, Transition.Released);
                break;
            case Settlement.Abandoned abandoned:
                Totals.Abandoned++;
                _store.ChangeProperties(message, abandoned.Properties);
                Fail(message);
                break;
            case Settlement.Deferred deferred:
                _store.ChangeProperties(message, deferred.Properties);
                message.IsDeferred = true;
                Return(message, Transition.Deferred);
                break;
            case Settlement.DeadLettered dead:
                _store.ChangeProperties(message, dead.Properties);
                DeadLetter(message, dead.Reason, dead.Description);
                break;
            default:
                throw new UnreachableException($"A settlement {settlement}.");
        }
    }

    /// <summary>Locks (or takes away) deferred messages: all of them, or none when one is not there, or when there are several that are
    /// larger together than what may be taken.</summary>
    /// <returns>Copies. Null: one is not there. Empty: too large.</returns>
    public IReadOnlyList<(QueuedMessage Message, MessageLock? Lock)>? ReceiveDeferred(
        IReadOnlyList<long> sequenceNumbers, ReceiveMode mode, long mostBytes, string? sessionId)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var messages = new List<QueuedMessage>(sequenceNumbers.Count);
        foreach (var number in sequenceNumbers.Distinct())
        {
            // The time to live of a deferred message is looked at only now.
            if (_store.Find(number) is not { State: MessageState.Deferred } message
                || (sessionId is not null && message.Content.SessionId != sessionId)
                || ExpireIfDue(message))
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

    /// <returns>False, and nothing is cancelled, when one of the messages is not scheduled (any more).</returns>
    public bool Cancel(IReadOnlyList<long> sequenceNumbers)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var numbers = sequenceNumbers.Distinct().ToList();
        if (!AreScheduled(numbers))
            return false;
        foreach (var number in numbers)
            Remove(_store.Find(number)!, Transition.Cancelled);
        return true;
    }

    public bool AreScheduled(IEnumerable<long> sequenceNumbers)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        return sequenceNumbers.All(number => _store.Find(number) is { State: MessageState.Scheduled });
    }

    /// <summary>What its deadline was set for has come: the end of a lock or of a life, or the scheduled time.</summary>
    public void OnDue(QueuedMessage message)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        switch (message.State)
        {
            case MessageState.Locked:
                EndLock(message);
                break;
            case MessageState.Active:
                Expire(message);
                sessions?.WakeHolderOf(message.Lane); // which may have stopped at too many expired messages
                break;
            case MessageState.Scheduled:
                TakeOut(message);
                message.Lane = LaneOf(message.Content); // its session may be gone with it
                message.SequenceNumber = ++_lastSequenceNumber;
                message.EnqueuedAt = message.Content.ScheduledEnqueueTime!.Value;
                Activate(message, message.EnqueuedAt);
                UsedAt = message.EnqueuedAt;
                Record(Transition.CameDue, message);
                break;
            default:
                throw new UnreachableException($"A deadline of a message that is {message.State}.");
        }
    }

    /// <summary>Drops active messages from the head of the queue.</summary>
    public int DeleteActive(int limit, DateTimeOffset enqueuedBefore)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var deleted = 0;
        while (deleted < limit && _lane.Next is { } message && message.EnqueuedAt < enqueuedBefore)
        {
            Remove(message, Transition.Purged);
            deleted++;
        }
        return deleted;
    }

    /// <summary>The number of the latest message.</summary>
    public long LastSequenceNumber => _lastSequenceNumber;

    /// <summary>Drops what no receiver holds.</summary>
    /// <param name="numbers">From the first to, and with, the last; the first is moved behind what was looked at.</param>
    /// <param name="limit">Of messages that are looked at.</param>
    /// <returns>How many were dropped.</returns>
    public int Purge(ref (long First, long Last) numbers, int limit)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var last = numbers.Last;
        var looked = _store.From(numbers.First).TakeWhile(message => message.SequenceNumber <= last).Take(limit).ToList();
        numbers.First = looked.Count < limit ? numbers.Last + 1 : looked[^1].SequenceNumber + 1;
        var unheld = looked.Where(message => message.State != MessageState.Locked).ToList();
        foreach (var message in unheld)
            Remove(message, Transition.Purged);
        return unheld.Count;
    }

    /// <summary>Drops messages in any state, locked ones too: the queue is being deleted, or the broker ends. No move of theirs.</summary>
    /// <returns>Whether there are more.</returns>
    public bool Clear(int limit)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        foreach (var message in _store.From(0).Take(limit).ToList())
            Remove(message);
        return _store.Count > 0;
    }

    /// <summary>Gives the broker's memory back; nothing is looked at again.</summary>
    public void Release()
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        _store.Release();
        sessions?.Release();
        _duplicates.Release();
    }

    public QueueCounts ToCounts()
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        return Totals.With(_store) with { SizeInBytes = SizeInBytes };
    }

    // Other queues are read without their locks: as of a moment ago is good enough.
    private long WholeSize => SizeInBytes + (deadLetterQueue?.SizeInBytes ?? 0) + (HoldsBehind?.Invoke() ?? 0);

    private void Schedule(QueuedMessage message, DateTimeOffset due)
    {
        Put(message, MessageState.Scheduled);
        deadlines.Set(message, due);
    }

    private void Activate(QueuedMessage message, DateTimeOffset now) => Activate(message, now, DateTimeOffset.MaxValue);

    private void Activate(QueuedMessage message, DateTimeOffset now, DateTimeOffset latestEnd)
    {
        var timeToLive = message.Content.TimeToLive is { } own && own < Options.DefaultMessageTimeToLive
            ? own
            : Options.DefaultMessageTimeToLive;
        var end = timeToLive < DateTimeOffset.MaxValue - now ? now + timeToLive : DateTimeOffset.MaxValue;
        message.ExpiresAt = end < latestEnd ? end : latestEnd;
        Put(message, MessageState.Active);
        deadlines.Set(message, message.ExpiresAt);
    }

    private MessageLock? Take(QueuedMessage message, ReceiveMode mode)
    {
        _store.Move(message, MessageState.Locked);
        if (mode == ReceiveMode.ReceiveAndDelete)
        {
            deadlines.Clear(message);
            return null;
        }
        return BeginLock(message);
    }

    private void Fail(QueuedMessage message)
    {
        message.DeliveryCount++;
        if (message.DeliveryCount < Options.MaxDeliveryCount || deadLetterQueue is null)
        {
            Return(message, Transition.Failed);
            return;
        }
        DeadLetter(message, DeadLetterReason.MaxDeliveryCountExceeded,
            $"Message could not be consumed after {message.DeliveryCount} delivery attempts.");
    }

    /// <summary>From a lock back to its place, by its old sequence number.</summary>
    private void Return(QueuedMessage message, Transition transition)
    {
        Unlock(message);
        deadlines.Clear(message);
        if (message.IsDeferred)
        {
            _store.Move(message, MessageState.Deferred);
        }
        else
        {
            if (ExpireIfDue(message))
                return;
            _store.Move(message, MessageState.Active);
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
        if (Options.DeadLetteringOnMessageExpiration && deadLetterQueue is not null)
        {
            DeadLetter(message, DeadLetterReason.TimeToLiveExpired, "The message expired and was dead lettered.");
            return;
        }
        Remove(message, Transition.Expired);
    }

    private void DeadLetter(QueuedMessage message, string? reason, string? description)
    {
        Remove(message, Transition.DeadLettered);
        deadLetterQueue!.AcceptDeadLetter(message, DeadLetterReason.Properties(reason, description));
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

    /// <summary>In, and into its lane where it is active.</summary>
    private void Put(QueuedMessage message, MessageState state)
    {
        _store.Add(message, state);
        if (state == MessageState.Active)
            message.Lane.Arrive(message);
        sessions?.OnPut(message);
    }

    private void TakeOut(QueuedMessage message)
    {
        _store.Remove(message);
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
