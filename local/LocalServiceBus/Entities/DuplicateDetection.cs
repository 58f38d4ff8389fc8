namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The message IDs seen within the detection window, in the order of arrival.</summary>
internal sealed class DuplicateDetection(MemoryShare memory, IQueueJournal journal)
{
    private const int MinCapacity = 1024;

    private readonly HashSet<string> _known = [];
    private readonly Queue<(string Id, DateTimeOffset SeenAt)> _history = [];

    /// <summary>Returns <c>true</c> if the ID was seen within the window; otherwise, remembers it. A message without an
    /// ID is never a duplicate. Call <see cref="Keep"/> after the message is recorded.</summary>
    public bool IsKnown(string? messageId, DateTimeOffset now, TimeSpan window)
    {
        Forget(now, window);
        return !string.IsNullOrEmpty(messageId) && !TryRemember(messageId, now);
    }

    /// <summary>Records the ID in the journal, after the message: with an ID but no message, a resend would be
    /// dropped.</summary>
    public void Keep(string? messageId, DateTimeOffset seenAt)
    {
        if (!string.IsNullOrEmpty(messageId))
            journal.Remember(messageId, seenAt);
    }

    public bool TryRemember(string messageId, DateTimeOffset seenAt)
    {
        if (!_known.Add(messageId))
            return false;
        _history.Enqueue((messageId, seenAt));
        memory.Add(MemorySize.SeenId(messageId));
        return true;
    }

    public void Forget(DateTimeOffset now, TimeSpan window)
    {
        DateTimeOffset? forgotten = null;
        while (_history.TryPeek(out var oldest) && now - oldest.SeenAt >= window)
        {
            _known.Remove(_history.Dequeue().Id);
            memory.Add(-MemorySize.SeenId(oldest.Id));
            forgotten = oldest.SeenAt;
        }
        if (forgotten is { } seenUpTo)
            journal.Forget(seenUpTo);
        if (_known.Capacity <= MinCapacity || _known.Count > _known.Capacity / 4)
            return;
        _known.TrimExcess();
        _history.TrimExcess();
    }
}
