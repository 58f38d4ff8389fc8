namespace DroneDelivery.Amqp.Tests.Support;

internal static class Bytes
{
    public static byte[] FromHex(string hex) => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));

    public static string Hex(ReadOnlySpan<byte> bytes) =>
        string.Join(' ', bytes.ToArray().Select(b => b.ToString("x2")));

    public static string Hex(object? value) => Hex(Encode(w => w.WriteValue(value)));

    public static byte[] Encode(Action<AmqpWriter> write)
    {
        using var writer = new AmqpWriter(1);
        write(writer);
        return writer.WrittenSpan.ToArray();
    }
}
