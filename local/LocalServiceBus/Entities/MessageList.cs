namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Messages in a row. Any of them leaves at once, because a message has its neighbors itself: so it is in one list at a
/// time.</summary>
internal sealed class MessageList
{
    public QueuedMessage? First { get; private set; }

    public QueuedMessage? Last { get; private set; }

    public void Append(QueuedMessage message)
    {
        message.List = this;
        message.Previous = Last;
        if (Last is null)
            First = message;
        else
            Last.Next = message;
        Last = message;
    }

    public void Remove(QueuedMessage message)
    {
        if (message.Previous is { } previous)
            previous.Next = message.Next;
        else
            First = message.Next;
        if (message.Next is { } next)
            next.Previous = message.Previous;
        else
            Last = message.Previous;
        message.List = null;
        message.Previous = message.Next = null;
    }
}
