namespace DroneDelivery.Amqp;

/// <summary>The mechanisms that the server accepts (AMQP 1.0 §5.3.3.1).</summary>
internal sealed record SaslMechanisms(Symbol[] Mechanisms) : IComposite
{
    internal const ulong Code = 0x40;

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Mechanisms);
}

/// <summary>The client's mechanism and initial response (AMQP 1.0 §5.3.3.2).</summary>
public sealed record SaslInit(Symbol Mechanism, byte[]? InitialResponse = null, string? HostName = null) : IComposite
{
    internal const ulong Code = 0x41;

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Mechanism, InitialResponse, HostName);

    internal static SaslInit Read(ref FieldReader fields) =>
        new(fields.Symbol() ?? throw FieldReader.Missing("sasl-init.mechanism"), fields.Binary(), fields.String());
}

/// <summary>The outcome of the SASL exchange (AMQP 1.0 §5.3.3.5).</summary>
/// <param name="Outcome">0 for success (AMQP 1.0 §5.3.3.6).</param>
internal sealed record SaslOutcome(byte Outcome) : IComposite
{
    internal const ulong Code = 0x44;

    public void Write(AmqpWriter writer) => writer.WriteFields(Code, Outcome, null);
}
