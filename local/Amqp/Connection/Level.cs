namespace DroneDelivery.Amqp;

/// <summary>
/// An amount with a limit. What would add to it stops when the limit is reached, and goes on when an eighth of it is free again: with
/// less, each small step down would wake everybody who waits.
/// </summary>
/// <param name="most">the limit; one step may exceed it</param>
internal sealed class Level(long most, Action onRoom)
{
    private volatile bool _isFull;

    /// <summary>May be read without the lock.</summary>
    public bool IsFull => _isFull;

    /// <summary>Under the lock.</summary>
    public long Amount { get; private set; }

    /// <param name="change">negative: it goes down</param>
    public void Add(long change)
    {
        Amount += change;
        if (Amount >= most)
        {
            _isFull = true;
        }
        else if (_isFull && Amount <= most - Math.Max(1, most / 8))
        {
            _isFull = false;
            onRoom();
        }
    }
}
