namespace DroneDelivery.Amqp;

/// <summary>The error of a close, end, detach or rejected outcome (AMQP 1.0 §2.8.14).</summary>
public sealed record AmqpError(Symbol Condition, string? Description = null, Dictionary<Symbol, object?>? Info = null)
{
    internal const ulong Code = 0x1d;

    internal void Write(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Code);
        writer.WriteSymbol(Condition);
        writer.WriteString(Description);
        writer.Field(Info);
        writer.EndList(fields, 3);
    }

    internal static AmqpError? Read(ReadOnlySpan<byte> encoded)
    {
        if (encoded.IsEmpty)
            return null;
        var fields = new FieldReader(encoded, out var descriptor);
        if (descriptor != Code)
            throw new AmqpException(ErrorConditions.DecodeError, "an error is expected");
        var error = new AmqpError(fields.Symbol() ?? throw FieldReader.Missing("error.condition"), fields.String(), fields.Map());
        fields.End();
        return error;
    }
}
