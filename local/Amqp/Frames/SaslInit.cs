namespace DroneDelivery.Amqp;

/// <summary>Picks a mechanism and gives its first response (AMQP 1.0 §5.3.3.2).</summary>
public sealed class SaslInit : Performative
{
    internal const ulong Code = 0x41;

    public Symbol Mechanism { get; set; }
    public byte[]? InitialResponse { get; set; }
    public string? HostName { get; set; }

    internal override void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteSymbol(Mechanism);
        writer.Field(InitialResponse);
        writer.WriteString(HostName);
        writer.EndList(fields, 3);
    }

    internal static SaslInit Read(ref FieldReader fields) => new()
    {
        Mechanism = fields.Symbol() ?? throw FieldReader.Missing("sasl-init.mechanism"),
        InitialResponse = fields.Binary(),
        HostName = fields.String(),
    };
}
