namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The messages that receivers may have, by sequence number. New arrivals come in that order and form a list; messages that
/// come back form a heap. The next one is the smaller of the two heads.</summary>
internal sealed class ActiveMessages
{
    readonly MessageHeap<BySequenceNumber> returned = new();
    QueuedMessage? head;
    QueuedMessage? tail;

    public QueuedMessage? Next =>
        returned.First is { } back && (head is null || back.SequenceNumber < head.SequenceNumber) ? back : head;

    public void Arrive(QueuedMessage message)
    {
        message.Previous = tail;
        if (tail is null) head = message;
        else tail.Next = message;
        tail = message;
    }

    public void Return(QueuedMessage message) => returned.Add(message);

    public void Remove(QueuedMessage message)
    {
        if (message.ReturnSlot >= 0) returned.Remove(message);
        else Unlink(message);
    }

    void Unlink(QueuedMessage message)
    {
        if (message.Previous is { } previous) previous.Next = message.Next;
        else head = message.Next;
        if (message.Next is { } next) next.Previous = message.Previous;
        else tail = message.Previous;
        message.Previous = message.Next = null;
    }
}
