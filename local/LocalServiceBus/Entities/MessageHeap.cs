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
    private const int KeptRoom = 4096;

    private (long Key, QueuedMessage Message)[] _items = new (long, QueuedMessage)[16];

    public int Count { get; private set; }

    public QueuedMessage? First => Count == 0 ? null : _items[0].Message;

    public void Add(QueuedMessage message)
    {
        if (Count == _items.Length)
            Array.Resize(ref _items, Count * 2);
        Rise(Count++, (TOrder.KeyOf(message), message));
    }

    /// <summary>Does nothing when the message is not here.</summary>
    public void Remove(QueuedMessage message)
    {
        ref var slot = ref TOrder.SlotOf(message);
        if (slot < 0)
            return;
        var hole = slot;
        slot = QueuedMessage.Nowhere;
        var last = _items[--Count];
        _items[Count] = default;
        if (hole < Count)
            Fill(hole, last);
        if (_items.Length > KeptRoom && Count < _items.Length / 4)
            Array.Resize(ref _items, _items.Length / 2);
    }

    private void Fill(int hole, (long Key, QueuedMessage Message) last)
    {
        if (hole > 0 && IsBefore(last, _items[(hole - 1) / 2]))
            Rise(hole, last);
        else
            Sink(hole, last);
    }

    private void Rise(int slot, (long Key, QueuedMessage Message) item)
    {
        while (slot > 0 && IsBefore(item, _items[(slot - 1) / 2]))
        {
            Put(slot, _items[(slot - 1) / 2]);
            slot = (slot - 1) / 2;
        }
        Put(slot, item);
    }

    private void Sink(int slot, (long Key, QueuedMessage Message) item)
    {
        for (var child = 2 * slot + 1; child < Count; child = 2 * slot + 1)
        {
            if (child + 1 < Count && IsBefore(_items[child + 1], _items[child]))
                child++;
            if (!IsBefore(_items[child], item))
                break;
            Put(slot, _items[child]);
            slot = child;
        }
        Put(slot, item);
    }

    /// <summary>Messages that are due together keep the order of their sequence numbers.</summary>
    public static bool IsBefore(QueuedMessage one, QueuedMessage other) => IsBefore((TOrder.KeyOf(one), one), (TOrder.KeyOf(other), other));

    private static bool IsBefore((long Key, QueuedMessage Message) one, (long Key, QueuedMessage Message) other) =>
        one.Key < other.Key || (one.Key == other.Key && one.Message.SequenceNumber < other.Message.SequenceNumber);

    private void Put(int slot, (long Key, QueuedMessage Message) item)
    {
        _items[slot] = item;
        TOrder.SlotOf(item.Message) = slot;
    }
}
