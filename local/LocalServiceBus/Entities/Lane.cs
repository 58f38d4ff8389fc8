namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Messages that the same receivers may have, by sequence number. New arrivals come in that order and form a list; messages that
/// come back form a heap. The next one is the smaller of the two heads. A queue without sessions has one lane, and each session is
/// one.</summary>
internal class Lane
{
    private readonly MessageHeap<BySequenceNumber> _returned = new();
    private readonly MessageList _arrived = new();

    public QueuedMessage? Next =>
        _returned.First is { } back && (_arrived.First is not { } first || back.SequenceNumber < first.SequenceNumber)
            ? back
            : _arrived.First;

    public void Arrive(QueuedMessage message) => _arrived.Append(message);

    public void Return(QueuedMessage message) => _returned.Add(message);

    public void Remove(QueuedMessage message)
    {
        if (message.ReturnSlot >= 0)
            _returned.Remove(message);
        else
            _arrived.Remove(message);
    }
}
