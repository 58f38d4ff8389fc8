namespace DroneDelivery.Amqp;

/// <summary>The eight bytes with which each layer begins: AMQP, protocol id, version 1.0.0 (AMQP 1.0 §2.2, §5.3.1).</summary>
internal static class ProtocolHeader
{
    public const int Size = 8;

    public static readonly byte[] Amqp = "AMQP\0\u0001\0\0"u8.ToArray();
    public static readonly byte[] Sasl = "AMQP\u0003\u0001\0\0"u8.ToArray();
}
