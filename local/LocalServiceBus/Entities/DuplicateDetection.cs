namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Message ids seen within the window. Forgetting costs as much as remembering: ids leave in the order they came.</summary>
internal sealed class DuplicateDetection(MemoryShare memory, IQueueJournal journal)
{
    // Room for so many is kept whatever was forgotten.
    private const int KeptRoom = 1024;

    private readonly HashSet<string> _known = [];
    private readonly Queue<(string Id, DateTimeOffset SeenAt)> _history = [];

    /// <summary>Whether the id was seen within the window; remembers it otherwise. A message without an id is never a duplicate. Once
    /// the message is recorded, <see cref="Keep"/> records its id.</summary>
    public bool IsKnown(string? messageId, DateTimeOffset now, TimeSpan window)
    {
        Forget(now, window);
        return !string.IsNullOrEmpty(messageId) && !TryRemember(messageId, now);
    }

    /// <summary>Behind its message: an id that outlived the message would have the repeated send dropped.</summary>
    public void Keep(string? messageId, DateTimeOffset seenAt)
    {
        if (!string.IsNullOrEmpty(messageId))
            journal.Remember(messageId, seenAt);
    }

    /// <summary>False: it is known.</summary>
    /// <param name="messageId">Seen later than all before it.</param>
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
        if (_known.Capacity <= KeptRoom || _known.Count > _known.Capacity / 4)
            return;
        _known.TrimExcess();
        _history.TrimExcess();
    }
}
