namespace Azure.Messaging.ServiceBus;

/// <summary>The receives that wait at a link, first come first served, and what they want together. Its owner locks.</summary>
internal sealed class WaitingReceives
{
    private readonly LinkedList<Waiter> _waiters = [];

    /// <summary>Receives of one message.</summary>
    public int Singles { get; private set; }

    /// <summary>Messages that receives of several want together.</summary>
    public long Batched { get; private set; }

    public Waiter Add(int most)
    {
        var waiter = new Waiter(most);
        _waiters.AddLast(waiter.Node);
        Count(waiter, waiter.Missing);
        return waiter;
    }

    /// <summary>Gives the message to the one who waits longest.</summary>
    public bool TryGive(Arrival arrival)
    {
        if (_waiters.First is not { Value: var waiter })
            return false;
        waiter.Give(arrival);
        Count(waiter, -1);
        if (waiter.Missing == 0)
            _waiters.Remove(waiter.Node);
        return true;
    }

    public void Remove(Waiter waiter)
    {
        if (waiter.Node.List is null)
            return;
        _waiters.Remove(waiter.Node);
        Count(waiter, -waiter.Missing);
    }

    public IReadOnlyList<Waiter> RemoveAll()
    {
        Waiter[] all = [.. _waiters];
        _waiters.Clear();
        (Singles, Batched) = (0, 0);
        return all;
    }

    private void Count(Waiter waiter, int messages)
    {
        if (waiter.IsSingle)
            Singles += messages;
        else
            Batched += messages;
    }
}
