namespace DroneDelivery.Amqp;

/// <summary>
/// Writes the fields of a described list. Every field is written, null or not: some peers fail on lists that are cut short.
/// </summary>
internal static class FieldWriter
{
    public static int BeginFields(this AmqpWriter writer, ulong descriptor)
    {
        writer.WriteDescriptor(descriptor);
        return writer.BeginList();
    }

    public static void Field(this AmqpWriter writer, bool? value)
    {
        if (value is { } v)
            writer.WriteBoolean(v);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, byte? value)
    {
        if (value is { } v)
            writer.WriteUByte(v);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, ushort? value)
    {
        if (value is { } v)
            writer.WriteUShort(v);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, uint? value)
    {
        if (value is { } v)
            writer.WriteUInt(v);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, ulong? value)
    {
        if (value is { } v)
            writer.WriteULong(v);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, DateTimeOffset? value)
    {
        if (value is { } v)
            writer.WriteTimestamp(v);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, Symbol? value)
    {
        if (value is { } v)
            writer.WriteSymbol(v);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, byte[]? value)
    {
        if (value is not null)
            writer.WriteBinary(value);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, Dictionary<Symbol, object?>? value)
    {
        if (value is not null)
            writer.WriteMap(value);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, AmqpError? value)
    {
        if (value is not null)
            value.Write(writer);
        else
            writer.WriteNull();
    }

    public static void Field(this AmqpWriter writer, DeliveryState? value)
    {
        if (value is not null)
            value.Write(writer);
        else
            writer.WriteNull();
    }
}
