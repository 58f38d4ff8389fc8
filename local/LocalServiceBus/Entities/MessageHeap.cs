namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What a <see cref="MessageHeap{TOrder}"/> sorts by, and where a message remembers its slot.</summary>
internal interface IHeapOrder
{
    static abstract long KeyOf(QueuedMessage message);
    static abstract ref int SlotOf(QueuedMessage message);
}

internal readonly struct ByDeadline : IHeapOrder
{
    public static long KeyOf(QueuedMessage message) => message.Deadline.UtcTicks;
    public static ref int SlotOf(QueuedMessage message) => ref message.DeadlineSlot;
}

internal readonly struct BySequenceNumber : IHeapOrder
{
    public static long KeyOf(QueuedMessage message) => message.SequenceNumber;
    public static ref int SlotOf(QueuedMessage message) => ref message.ReturnSlot;
}

/// <summary>A binary min-heap whose members know their slot, so that any of them leaves in O(log n). Lazy deletion would keep every
/// settled message reachable until its lock would have run out: minutes of traffic.</summary>
internal sealed class MessageHeap<TOrder> where TOrder : IHeapOrder
{
    // A heap that was large once gives its room back, but not for the ups and downs of everyday traffic.
    const int KeptRoom = 4096;

    (long Key, QueuedMessage Message)[] items = new (long, QueuedMessage)[16];

    public int Count { get; private set; }

    public QueuedMessage? First => Count == 0 ? null : items[0].Message;

    public void Add(QueuedMessage message)
    {
        if (Count == items.Length) Array.Resize(ref items, Count * 2);
        Rise(Count++, (TOrder.KeyOf(message), message));
    }

    /// <summary>Does nothing when the message is not here.</summary>
    public void Remove(QueuedMessage message)
    {
        ref var slot = ref TOrder.SlotOf(message);
        if (slot < 0) return;
        var hole = slot;
        slot = -1;
        var last = items[--Count];
        items[Count] = default;
        if (hole < Count) Fill(hole, last);
        if (items.Length > KeptRoom && Count < items.Length / 4) Array.Resize(ref items, items.Length / 2);
    }

    void Fill(int hole, (long Key, QueuedMessage Message) last)
    {
        if (hole > 0 && IsBefore(last, items[(hole - 1) / 2])) Rise(hole, last);
        else Sink(hole, last);
    }

    void Rise(int slot, (long Key, QueuedMessage Message) item)
    {
        while (slot > 0 && IsBefore(item, items[(slot - 1) / 2]))
        {
            Put(slot, items[(slot - 1) / 2]);
            slot = (slot - 1) / 2;
        }
        Put(slot, item);
    }

    void Sink(int slot, (long Key, QueuedMessage Message) item)
    {
        for (var child = 2 * slot + 1; child < Count; child = 2 * slot + 1)
        {
            if (child + 1 < Count && IsBefore(items[child + 1], items[child])) child++;
            if (!IsBefore(items[child], item)) break;
            Put(slot, items[child]);
            slot = child;
        }
        Put(slot, item);
    }

    // Messages that are due together keep the order of their sequence numbers.
    static bool IsBefore((long Key, QueuedMessage Message) one, (long Key, QueuedMessage Message) other) =>
        one.Key < other.Key || (one.Key == other.Key && one.Message.SequenceNumber < other.Message.SequenceNumber);

    void Put(int slot, (long Key, QueuedMessage Message) item)
    {
        items[slot] = item;
        TOrder.SlotOf(item.Message) = slot;
    }
}
