namespace DroneDelivery.LocalServiceBus.Entities;

// How messages get in: sent, forwarded, from a topic, dead-lettered, or as the journal has kept them.
internal sealed partial class QueueContents
{
    /// <param name="reserved">The number of <see cref="ReserveNumber"/> that a scheduled message gets; 0: the next.</param>
    /// <returns>The sequence number; 0 when the message was a duplicate and dropped.</returns>
    public long Add(MessageContent content, DateTimeOffset now, long reserved = 0)
    {
        if (IsDuplicate(content, now))
            return 0;
        var message = new QueuedMessage(content, now) { Lane = LaneOf(content) };
        var isScheduled = content.ScheduledEnqueueTime > now;
        message.SequenceNumber = message.EnqueuedSequenceNumber =
            isScheduled && reserved > 0 ? reserved : ++LastSequenceNumber;
        if (isScheduled)
            Schedule(message, content.ScheduledEnqueueTime!.Value);
        else
            Activate(message, now);
        RecordArrival(message, now);
        return message.SequenceNumber;
    }

    /// <summary>A number for a message that may come later. One whose time has come by then gets another, as those of a lane
    /// rise.</summary>
    public long ReserveNumber() => ++LastSequenceNumber;

    /// <summary>The message has the number of its original as the first one, and lives no longer than that.</summary>
    public void TakeOver(QueuedMessage original, MessageContent content)
    {
        if (sessions is not null && content.SessionId is null)
        {
            TakeOverDead(
                original,
                content,
                DeadLetterReason.SessionIdIsNull,
                "The message has no session id, and the entity requires sessions."
            );
            return;
        }
        var message = Copy(original, content);
        message.SequenceNumber = ++LastSequenceNumber;
        message.Lane = LaneOf(content);
        // From when it was sent, as receivers compute the end of its life from the time to live.
        Activate(message, message.EnqueuedAt, original.ExpiresAt);
        Record(Transition.Arrived, message);
    }

    public void TakeOverDead(QueuedMessage original, MessageContent content, string reason, string description) =>
        deadLetterQueue!.AcceptDeadLetter(Copy(original, content), DeadLetterReason.Properties(reason, description));

    /// <summary>A duplicate is dropped, as if it were sent here. The message has the number of its original as the first one, and lives no
    /// longer than that.</summary>
    public void AddForwarded(
        QueuedMessage original,
        MessageContent content,
        string? deadLetterSource,
        DateTimeOffset now
    )
    {
        if (IsDuplicate(content, now))
            return;
        var message = new QueuedMessage(content, now)
        {
            SequenceNumber = ++LastSequenceNumber,
            EnqueuedSequenceNumber = original.EnqueuedSequenceNumber,
            Hops = original.Hops + 1,
            DeadLetterSource = deadLetterSource ?? original.DeadLetterSource,
            Lane = LaneOf(content),
        };
        message.ChangeProperties(original.ChangedProperties);
        Activate(message, now, original.ExpiresAt);
        RecordArrival(message, now);
    }

    /// <summary>Takes over what the parent queue could not get processed. Its time to live no longer counts.</summary>
    public void AddDeadLetter(QueuedMessage dead, IReadOnlyDictionary<string, object?> reason)
    {
        var message = new QueuedMessage(dead.Content, dead.EnqueuedAt)
        {
            JournalId = dead.JournalId,
            SequenceNumber = ++LastSequenceNumber,
            EnqueuedSequenceNumber = dead.EnqueuedSequenceNumber,
            DeliveryCount = dead.DeliveryCount,
            Hops = dead.Hops,
            DeadLetterSource = dead.DeadLetterSource,
            Lane = Lane,
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
    public void Restore(long lastSequenceNumber) => LastSequenceNumber = lastSequenceNumber;

    public void Restore(string messageId, DateTimeOffset seenAt) => _duplicates.TryRemember(messageId, seenAt);

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

    private bool IsDuplicate(MessageContent content, DateTimeOffset now)
    {
        var isDuplicate =
            Options.RequiresDuplicateDetection
            && _duplicates.IsKnown(content.MessageId, now, Options.DuplicateDetectionHistoryTimeWindow);
        if (isDuplicate)
            Totals.Duplicates++;
        return isDuplicate;
    }

    private void RecordArrival(QueuedMessage message, DateTimeOffset now)
    {
        Record(Transition.Arrived, message);
        if (Options.RequiresDuplicateDetection)
            _duplicates.Keep(message.Content.MessageId, now);
    }

    private void Schedule(QueuedMessage message, DateTimeOffset due)
    {
        Put(message, MessageState.Scheduled);
        deadlines.Set(message, due);
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

    private Lane LaneOf(MessageContent content) => sessions is null ? Lane : sessions.Of(content.SessionId!);
}
