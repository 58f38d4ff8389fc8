namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Messages that the same receivers may have, by sequence number. New arrivals come in that order and form a list. Messages that
/// come back mostly do, too, and form another; those that come back out of order are sorted. The next one is the smallest of the three
/// heads. A queue without sessions has one lane, and each session is one.</summary>
internal class Lane
{
    private readonly MessageList _arrived = new();
    private readonly MessageList _returned = new();
    private readonly SortedSet<QueuedMessage> _outOfOrder = new(BySequenceNumber);

    public QueuedMessage? Next => Earlier(Earlier(_returned.First, _outOfOrder.Min), _arrived.First);

    public void Arrive(QueuedMessage message) => _arrived.Append(message);

    public void Return(QueuedMessage message)
    {
        if (_returned.Last is { } last && last.SequenceNumber > message.SequenceNumber)
            _outOfOrder.Add(message);
        else
            _returned.Append(message);
    }

    public void Remove(QueuedMessage message)
    {
        if (message.List is { } list)
            list.Remove(message);
        else
            _outOfOrder.Remove(message);
    }

    private static readonly Comparer<QueuedMessage> BySequenceNumber = Comparer<QueuedMessage>.Create(
        static (one, other) => one.SequenceNumber.CompareTo(other.SequenceNumber)
    );

    private static QueuedMessage? Earlier(QueuedMessage? one, QueuedMessage? other) =>
        one is null || other?.SequenceNumber < one.SequenceNumber ? other : one;
}
