namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Message ids seen within the window. Forgetting costs as much as remembering: ids leave in the order they came.</summary>
internal sealed class DuplicateDetection(MemoryUse memory)
{
    // An id's string, its place in the set and its place in the history, the room that both keep for growth included.
    const int Entry = 160;

    // Room for so many is kept whatever was forgotten.
    const int KeptRoom = 1024;

    readonly MemoryShare share = new(memory);
    readonly HashSet<string> known = [];
    readonly Queue<(string Id, DateTimeOffset SeenAt)> history = [];

    /// <summary>What the ids take, estimated from above.</summary>
    public long SizeInBytes
    {
        get;
        private set
        {
            field = value;
            share.Report(value);
        }
    }

    /// <summary>Whether the id was seen within the window; remembers it otherwise. A message without an id is never a duplicate.</summary>
    public bool IsKnown(string? messageId, DateTimeOffset now, TimeSpan window)
    {
        Forget(now, window);
        if (string.IsNullOrEmpty(messageId)) return false;
        if (!known.Add(messageId)) return true;
        history.Enqueue((messageId, now));
        SizeInBytes += SizeOf(messageId);
        return false;
    }

    public void Forget(DateTimeOffset now, TimeSpan window)
    {
        while (history.TryPeek(out var oldest) && now - oldest.SeenAt >= window)
        {
            known.Remove(history.Dequeue().Id);
            SizeInBytes -= SizeOf(oldest.Id);
        }
        if (known.Capacity <= KeptRoom || known.Count > known.Capacity / 4) return;
        known.TrimExcess();
        history.TrimExcess();
    }

    /// <summary>The ids will not be looked at again.</summary>
    public void Release() => share.Release();

    static long SizeOf(string id) => Entry + 2L * id.Length;
}
