namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What one owner holds of the broker's memory.</summary>
internal sealed class MemoryShare(MemoryUse use)
{
    private long _reported;
    private bool _isReleased;

    /// <param name="held">All that the owner holds now, in bytes.</param>
    public void Report(long held)
    {
        if (!_isReleased)
            use.Report(ref _reported, held);
    }

    /// <summary>The owner is gone: what it may still report, as a delivery that ends late makes it, does not count.</summary>
    public void Release()
    {
        Report(0);
        _isReleased = true;
    }
}
