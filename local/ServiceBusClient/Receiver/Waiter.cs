namespace Azure.Messaging.ServiceBus;

/// <summary>A message that came over a link; not decoded yet, because the read loop has other things to do.</summary>
internal readonly record struct Arrival(uint DeliveryId, Guid LockToken, ReadOnlyMemory<byte> Payload);

/// <summary>A receive that waits for messages.</summary>
internal sealed class Waiter
{
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource? _full;
    private readonly int _most;

    public Waiter(int most)
    {
        _most = most;
        _full = IsSingle ? null : new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Node = new LinkedListNode<Waiter>(this);
    }

    public LinkedListNode<Waiter> Node { get; }

    public List<Arrival> Received { get; } = new(1);

    public bool IsSingle => _most == 1;

    /// <summary>Ends with the first message.</summary>
    public Task First => _first.Task;

    /// <summary>Ends with the last message that it wants.</summary>
    public Task Full => _full?.Task ?? _first.Task;

    public int Missing => _most - Received.Count;

    public void Give(Arrival arrival)
    {
        Received.Add(arrival);
        _first.TrySetResult();
        if (Missing == 0)
            _full?.TrySetResult();
    }

    /// <summary>Ends the wait; a batch that has something keeps it.</summary>
    public void Fail(Exception error)
    {
        if (Received.Count == 0)
            _first.TrySetException(error);
        _full?.TrySetResult();
    }
}
