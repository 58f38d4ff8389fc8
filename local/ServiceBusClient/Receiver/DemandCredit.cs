namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Credit of a link without prefetch: as many messages as receives wait for. Credit that a receive left behind when it gave up stays at the
/// broker; the message that uses it is released.
/// </summary>
internal static class DemandCredit
{
    private const int MostForSingles = 200;
    private const int Step = 20;

    /// <param name="singles">Waiting receives of one message.</param>
    /// <param name="batched">Messages that waiting receives of several want together.</param>
    /// <param name="credit">What the broker has left.</param>
    /// <returns>The credit to grant now.</returns>
    public static int Missing(int singles, long batched, int credit)
    {
        // All receives together may want more than a credit can say.
        var wanted = Math.Min(Math.Min(singles, MostForSingles) + batched, int.MaxValue);
        var missing = wanted - credit;
        // With many receives waiting, a flow frame for each of them would be most of the traffic.
        var worthwhile = batched > 0 || singles <= Step || credit == 0 || missing >= Step;
        return worthwhile ? (int)Math.Clamp(missing, 0, int.MaxValue) : 0;
    }
}
