namespace DroneDelivery.Amqp;

/// <summary>Descriptors of the sections of a message (AMQP 1.0 §3.2).</summary>
public static class SectionCode
{
    public const ulong Header = 0x70;
    public const ulong DeliveryAnnotations = 0x71;
    public const ulong MessageAnnotations = 0x72;
    public const ulong Properties = 0x73;
    public const ulong ApplicationProperties = 0x74;
    public const ulong Data = 0x75;
    public const ulong Sequence = 0x76;
    public const ulong Value = 0x77;
    public const ulong Footer = 0x78;
}
