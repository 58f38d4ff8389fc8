using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>A receiver that spends credit as a link does and keeps what it got.</summary>
internal sealed class TestReceiver
{
    readonly QueueReceiver receiver;
    int credit;

    public TestReceiver(Queue queue, int credit, ReceiveMode mode = ReceiveMode.PeekLock)
    {
        receiver = queue.AddReceiver(mode, Deliver, error => Failure = error);
        Grant(credit);
    }

    public List<MessageLock> Locks { get; } = [];
    public List<string> Texts { get; } = [];
    /// <summary>What <see cref="OnDelivered"/> threw; the receiver is closed then.</summary>
    public Exception? Failure { get; private set; }

    public int Credit => Volatile.Read(ref credit);
    public Action<MessageLock?>? OnDelivered { get; set; }

    public void Grant(int more)
    {
        Interlocked.Add(ref credit, more);
        if (more > 0) receiver.Signal();
    }

    public void Close() => receiver.Close();

    HandOver Deliver(QueuedMessage message, MessageLock? held)
    {
        if (Volatile.Read(ref credit) == 0) return HandOver.Refused;
        var left = Interlocked.Decrement(ref credit);
        lock (Texts)
        {
            Texts.Add(QueueFixture.TextOf(message));
            if (held is not null) Locks.Add(held);
        }
        OnDelivered?.Invoke(held);
        return left > 0 ? HandOver.SentWantsMore : HandOver.SentEnough;
    }
}
