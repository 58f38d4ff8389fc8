namespace DroneDelivery.Amqp;

/// <summary>The target of a link that controls transactions (AMQP 1.0 §4.5.1).</summary>
public sealed class Coordinator
{
    internal const ulong Code = 0x30;

    public Symbol[]? Capabilities { get; set; }

    internal void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteValue(Capabilities);
        writer.EndList(fields, 1);
    }

    internal static Coordinator Read(ref FieldReader fields) => new() { Capabilities = fields.Symbols() };
}
