namespace DroneDelivery.Amqp;

/// <summary>Serial number arithmetic (RFC 1982; AMQP 1.0 §2.8.7 – §2.8.10).</summary>
internal static class SerialNumber
{
    /// <summary>Returns how far <paramref name="a"/> is ahead of <paramref name="b"/>; negative if it's
    /// behind.</summary>
    public static int Distance(uint a, uint b) => unchecked((int)(a - b));

    /// <summary>Returns the rest of an allowance that counts from <paramref name="seen"/> when <paramref name="sent"/>
    /// is reached.</summary>
    public static uint Remaining(uint allowance, uint seen, uint sent)
    {
        var onTheWay = Distance(sent, seen);
        // A peer that claims to have seen more than was sent gets only the allowance.
        if (onTheWay <= 0)
            return allowance;
        return allowance > (uint)onTheWay ? allowance - (uint)onTheWay : 0;
    }
}
