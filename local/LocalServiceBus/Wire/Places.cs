namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>So many at a time.</summary>
internal sealed class Places(int count)
{
    private int _taken;

    public bool TryTake()
    {
        if (Interlocked.Increment(ref _taken) <= count)
            return true;
        GiveBack();
        return false;
    }

    public void GiveBack() => Interlocked.Decrement(ref _taken);
}
