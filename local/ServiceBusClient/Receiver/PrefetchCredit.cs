namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Credit of a link that prefetches: as many messages as the prefetch count may be buffered and in process together. What the broker has
/// settled is granted again in lots, not one by one: a flow frame for each message would double the traffic.
/// </summary>
internal sealed class PrefetchCredit(int prefetchCount)
{
    private const int LargestLot = 100;
    private readonly int _lot = Math.Clamp((int)(prefetchCount * 2L / 3), 1, LargestLot);
    private int _settled;

    /// <returns>The credit to grant now: 0 until a lot is full.</returns>
    public int OnSettled()
    {
        if (++_settled < _lot)
            return 0;
        _settled = 0;
        return _lot;
    }
}
