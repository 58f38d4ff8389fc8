namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Messages that the same receivers may have, by sequence number. New arrivals come in that order and form a list; messages that
/// come back form a heap. The next one is the smaller of the two heads. A queue without sessions has one lane, and each session is
/// one.</summary>
internal class Lane
{
    private readonly MessageHeap<BySequenceNumber> _returned = new();
    private QueuedMessage? _head;
    private QueuedMessage? _tail;

    public QueuedMessage? Next =>
        _returned.First is { } back && (_head is null || back.SequenceNumber < _head.SequenceNumber) ? back : _head;

    public void Arrive(QueuedMessage message)
    {
        message.Previous = _tail;
        if (_tail is null)
            _head = message;
        else
            _tail.Next = message;
        _tail = message;
    }

    public void Return(QueuedMessage message) => _returned.Add(message);

    public void Remove(QueuedMessage message)
    {
        if (message.ReturnSlot >= 0)
            _returned.Remove(message);
        else
            Unlink(message);
    }

    private void Unlink(QueuedMessage message)
    {
        if (message.Previous is { } previous)
            previous.Next = message.Next;
        else
            _head = message.Next;
        if (message.Next is { } next)
            next.Previous = message.Previous;
        else
            _tail = message.Previous;
        message.Previous = message.Next = null;
    }
}
