namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Message ids seen within the window. Forgetting costs as much as remembering: ids leave in the order they came.</summary>
internal sealed class DuplicateDetection
{
    readonly HashSet<string> known = [];
    readonly Queue<(string Id, DateTimeOffset SeenAt)> history = [];

    /// <summary>Whether the id was seen within the window; remembers it otherwise. A message without an id is never a duplicate.</summary>
    public bool IsKnown(string? messageId, DateTimeOffset now, TimeSpan window)
    {
        while (history.TryPeek(out var oldest) && now - oldest.SeenAt >= window) known.Remove(history.Dequeue().Id);
        if (string.IsNullOrEmpty(messageId)) return false;
        if (!known.Add(messageId)) return true;
        history.Enqueue((messageId, now));
        return false;
    }
}
