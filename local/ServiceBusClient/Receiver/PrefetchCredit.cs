namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Credit of a link that prefetches: as many messages as the prefetch count may be buffered and in process together. What the broker has
/// settled is granted again in lots, not one by one: a flow frame for each message would double the traffic.
/// </summary>
/// <param name="prefetchCount">So many.</param>
/// <param name="tooMany">That are held already, under a higher count: they make no room.</param>
internal sealed class PrefetchCredit(int prefetchCount, int tooMany = 0)
{
    private const int LargestLot = 100;
    private readonly int _lot = Math.Clamp((int)(prefetchCount * 2L / 3), 1, LargestLot);
    private int _settled;
    private int _tooMany = tooMany;

    /// <returns>The credit to grant now: 0 until a lot is full.</returns>
    public int OnSettled()
    {
        if (_tooMany > 0)
        {
            _tooMany--;
            return 0;
        }

        if (++_settled < _lot)
            return 0;
        _settled = 0;
        return _lot;
    }
}
