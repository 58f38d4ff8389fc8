namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A receiver that uses credit like a link and records its deliveries.</summary>
internal sealed class TestReceiver
{
    private readonly QueueReceiver _receiver;
    private int _credit;

    public TestReceiver(Queue queue, int credit, ReceiveMode mode = ReceiveMode.PeekLock, SessionHold? session = null)
    {
        _receiver = queue.AddReceiver(mode, Deliver, error => Failure = error, session: session);
        Grant(credit);
    }

    public List<MessageLock> Locks { get; } = [];
    public List<string> Texts { get; } = [];
    public List<QueuedMessage> Messages { get; } = [];

    /// <summary>The exception that <see cref="OnDelivered"/> threw, which closed the receiver.</summary>
    public Exception? Failure { get; private set; }

    public int Credit => Volatile.Read(ref _credit);
    public Action<MessageLock?>? OnDelivered { get; set; }

    public void Grant(int more)
    {
        Interlocked.Add(ref _credit, more);
        if (more > 0)
            _receiver.Signal();
    }

    public void Close() => _receiver.Close();

    private DeliveryResult Deliver(QueuedMessage message, MessageLock? held)
    {
        if (Volatile.Read(ref _credit) == 0)
            return DeliveryResult.NotSent;
        var left = Interlocked.Decrement(ref _credit);
        lock (Texts)
        {
            Texts.Add(QueueFixture.TextOf(message));
            Messages.Add(message);
            if (held is not null)
                Locks.Add(held);
        }
        OnDelivered?.Invoke(held);
        return left > 0 ? DeliveryResult.SentWantsMore : DeliveryResult.SentEnough;
    }
}
