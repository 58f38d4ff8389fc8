namespace Azure.Messaging.ServiceBus;

/// <summary>A message that came over a link; not decoded yet, because the read loop has other things to do.</summary>
internal readonly record struct Arrival(uint DeliveryId, Guid LockToken, ReadOnlyMemory<byte> Payload);

/// <summary>A receive that waits for messages.</summary>
internal sealed class Waiter
{
    private readonly TaskCompletionSource first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource? full;
    private readonly int most;

    public Waiter(int most)
    {
        this.most = most;
        full = IsSingle ? null : new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Node = new LinkedListNode<Waiter>(this);
    }

    public LinkedListNode<Waiter> Node { get; }

    public List<Arrival> Received { get; } = new(1);

    public bool IsSingle => most == 1;

    /// <summary>Ends with the first message.</summary>
    public Task First => first.Task;

    /// <summary>Ends with the last message that it wants.</summary>
    public Task Full => full?.Task ?? first.Task;

    public int Missing => most - Received.Count;

    public void Give(Arrival arrival)
    {
        Received.Add(arrival);
        first.TrySetResult();
        if (Missing == 0)
            full?.TrySetResult();
    }

    /// <summary>Ends the wait; a batch that has something keeps it.</summary>
    public void Fail(Exception error)
    {
        if (Received.Count == 0)
            first.TrySetException(error);
        full?.TrySetResult();
    }
}
