namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Messages that the same receivers may have, by sequence number. New arrivals come in that order and form a list. Messages that
/// come back mostly do, too, and form another; those that come back out of order form a heap. The next one is the smallest of the three
/// heads. A queue without sessions has one lane, and each session is one.</summary>
internal class Lane
{
    private readonly MessageList _arrived = new();
    private readonly MessageList _returned = new();
    private readonly MessageHeap<BySequenceNumber> _outOfOrder = new();

    public QueuedMessage? Next => Earlier(Earlier(_returned.First, _outOfOrder.First), _arrived.First);

    public void Arrive(QueuedMessage message) => _arrived.Append(message);

    public void Return(QueuedMessage message)
    {
        if (_returned.Last is { } last && last.SequenceNumber > message.SequenceNumber)
        {
            _outOfOrder.Add(message);
            return;
        }
        _returned.Append(message);
        message.ReturnSlot = QueuedMessage.InList;
    }

    public void Remove(QueuedMessage message)
    {
        switch (message.ReturnSlot)
        {
            case QueuedMessage.Nowhere:
                _arrived.Remove(message);
                break;
            case QueuedMessage.InList:
                _returned.Remove(message);
                message.ReturnSlot = QueuedMessage.Nowhere;
                break;
            default:
                _outOfOrder.Remove(message);
                break;
        }
    }

    private static QueuedMessage? Earlier(QueuedMessage? one, QueuedMessage? other) =>
        one is null || other?.SequenceNumber < one.SequenceNumber ? other : one;
}
