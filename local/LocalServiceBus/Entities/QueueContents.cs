using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The messages of one queue and their moves between states:
/// <code>
///   scheduled ──▶ active ◀──▶ locked ──▶ gone (completed, dead-lettered, expired)
///                                ▲▼
///                             deferred
/// </code>
/// Each move ends in <see cref="Record"/>, which counts it and tells the journal. Not safe for threads: its queue holds the lock.</summary>
/// <param name="deadLetterQueue">Null in a dead-letter queue itself, and in the queue of a topic.</param>
/// <param name="sessions">Null in a queue without sessions.</param>
internal sealed partial class QueueContents(
    MonotonicClock clock,
    Deadlines deadlines,
    MemoryShare memory,
    IQueueJournal journal,
    Queue? deadLetterQueue,
    SessionTable? sessions
)
{
    private readonly DuplicateDetection _duplicates = new(memory, journal);

    public Func<long>? HoldsBehind { get; set; }

    public required QueueOptions Options { get; set; }

    /// <summary>Under the queue's lock.</summary>
    public MessageStore Store { get; } = new(memory);

    /// <summary>That of a queue without sessions.</summary>
    public Lane Lane { get; } = new();

    /// <summary>Messages, sessions and the ids that duplicate detection remembers.</summary>
    public long SizeInBytes => memory.Held;

    /// <summary>Since the queue was created; nothing of what it holds now.</summary>
    public QueueCounts Totals { get; } = new();

    /// <summary>The message that the next receiver of the lane gets; null when there is none or the queue gives none away.</summary>
    public QueuedMessage? NextIn(Lane lane) =>
        Options.Status is EntityStatus.Active or EntityStatus.SendDisabled && (sessions is null || !HasEnded(lane))
            ? lane.Next
            : null;

    /// <summary>Whether queue, ids and dead-letter queue together have reached the limit. The last message or batch may
    /// exceed it.</summary>
    public bool IsFull()
    {
        var limit = Options.MaxSizeInMegabytes * 1024 * 1024;
        if (WholeSize < limit)
            return false;
        _duplicates.Forget(clock.Now, Options.DuplicateDetectionHistoryTimeWindow);
        return WholeSize >= limit;
    }

    /// <summary>Expires messages at the head whose time is over while the timer that should have done it is late.</summary>
    /// <param name="limit">Of messages, since the lock is held meanwhile.</param>
    /// <returns>False: there are more. That timer sees to them.</returns>
    public bool ExpireHead(Lane lane, int limit)
    {
        while (NextIn(lane) is { } next && ExpireIfDue(next))
        {
            if (--limit == 0)
                return false;
        }
        return true;
    }

    /// <summary>Copies visible messages into <paramref name="found"/> until it has <paramref name="count"/>. Deferred messages
    /// whose time is over go, or every peek would look at them again.</summary>
    /// <param name="sessionId">Whose messages; null: all.</param>
    /// <returns>Where to go on; null at the end.</returns>
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
        foreach (var message in expired)
            Expire(message);
        return next;
    }

    /// <summary>What its deadline was set for has come: the end of a lock or of a life, or the scheduled time.</summary>
    public void OnDue(QueuedMessage message)
    {
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
                message.SequenceNumber = ++LastSequenceNumber;
                message.EnqueuedAt = message.Content.ScheduledEnqueueTime!.Value;
                Activate(message, message.EnqueuedAt);
                UsedAt = message.EnqueuedAt;
                Record(Transition.CameDue, message);
                break;
            default:
                throw new UnreachableException($"A deadline of a message that is {message.State}.");
        }
    }

    /// <summary>The number of the latest message.</summary>
    public long LastSequenceNumber { get; private set; }

    /// <summary>Drops what may go.</summary>
    /// <param name="numbers">From the first to, and with, the last; the first is moved behind what was looked at.</param>
    /// <returns>How many were dropped.</returns>
    public int Drop(ref (long First, long Last) numbers, int limit, int mostLooked, Func<QueuedMessage, bool> mayGo)
    {
        var last = numbers.Last;
        var looked = Store
            .From(numbers.First)
            .TakeWhile(message => message.SequenceNumber <= last)
            .Take(mostLooked)
            .ToList();
        numbers.First = looked.Count < mostLooked ? last + 1 : looked[^1].SequenceNumber + 1;
        var going = looked.Where(mayGo).Take(limit).ToList();
        foreach (var message in going)
            Remove(message, Transition.Purged);
        return going.Count;
    }

    /// <summary>Drops messages in any state, locked ones too: the queue is being deleted, or the broker ends. No move of theirs.</summary>
    /// <returns>Whether there are more.</returns>
    public bool Clear(int limit)
    {
        foreach (var message in Store.From(0).Take(limit).ToList())
            Remove(message);
        return Store.Count > 0;
    }

    /// <summary>Gives the broker's memory back; nothing is looked at again.</summary>
    public void Release() => memory.Release();

    public QueueCounts ToCounts() =>
        Totals with
        {
            Active = Store.CountOf(MessageState.Active),
            Locked = Store.CountOf(MessageState.Locked),
            Deferred = Store.CountOf(MessageState.Deferred),
            Scheduled = Store.CountOf(MessageState.Scheduled),
            SizeInBytes = SizeInBytes,
        };

    // Other queues are read without their locks: as of a moment ago is good enough.
    private long WholeSize => SizeInBytes + (deadLetterQueue?.SizeInBytes ?? 0) + (HoldsBehind?.Invoke() ?? 0);

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
            DeadLetterReason.MaxDeliveryCountExceeded,
            $"Message could not be consumed after {message.DeliveryCount} delivery attempts."
        );
    }

    /// <summary>From a lock back to its place, by its old sequence number.</summary>
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
