namespace DroneDelivery.Amqp.Tests.Support;

internal static class Damage
{
    public const int FrameLimit = 65536;

    /// <summary>Replaces each byte in turn with the most harmful values: extremes and neighbors.</summary>
    public static IEnumerable<byte[]> FlipEachByte(byte[] valid)
    {
        for (var i = 0; i < valid.Length; i++)
        {
            foreach (var replacement in new[] { 0, 0x7f, 0x80, 0xff, valid[i] - 1, valid[i] + 1 })
            {
                if ((byte)replacement == valid[i])
                    continue;
                var damaged = (byte[])valid.Clone();
                damaged[i] = (byte)replacement;
                yield return damaged;
            }
        }
    }

    public static string? Decode(ReadOnlyMemory<byte> encoded, long limit = FrameLimit) =>
        Try(() => new AmqpReader(encoded.Span).ReadValue(), limit);

    /// <summary>
    /// Returns the condition of the protocol error; <c>null</c> if it reads as a value. Any other exception, or a large
    /// allocation, fails the test.
    /// </summary>
    public static string? Try(Action read, long limit = FrameLimit)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        string? condition = null;
        try
        {
            read();
        }
        catch (AmqpException e)
        {
            condition = e.Error.Condition.Value;
        }
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, limit);
        return condition;
    }
}
