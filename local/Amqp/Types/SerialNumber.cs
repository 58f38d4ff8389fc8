namespace DroneDelivery.Amqp;

/// <summary>Arithmetic of ids and counts that wrap around (RFC 1982; AMQP 1.0 §2.8.7 – §2.8.10).</summary>
internal static class SerialNumber
{
    /// <summary>How far <paramref name="a"/> is ahead of <paramref name="b"/>; negative when behind.</summary>
    public static int Distance(uint a, uint b) => unchecked((int)(a - b));

    /// <summary>What is left of an allowance that the peer counts from <paramref name="seen"/> while we are at
    /// <paramref name="sent"/>.</summary>
    public static uint Remaining(uint allowance, uint seen, uint sent)
    {
        var onTheWay = Distance(sent, seen);
        // A peer that claims to have seen more than was sent gets no more than it granted.
        if (onTheWay <= 0)
            return allowance;
        return allowance > (uint)onTheWay ? allowance - (uint)onTheWay : 0;
    }
}
