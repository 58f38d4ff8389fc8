namespace DroneDelivery.Amqp;

/// <summary>
/// Writes the fields of a described list. Every field is written, null or not: some peers fail on lists that are cut short.
/// </summary>
internal static class FieldWriter
{
    /// <summary>A whole list, for what is not sent with every message.</summary>
    /// <param name="writer">gets it</param>
    /// <param name="fields">what <see cref="AmqpWriter.WriteValue"/> takes, or a composite</param>
    public static void WriteFields(this AmqpWriter writer, ulong descriptor, params ReadOnlySpan<object?> fields)
    {
        var start = writer.BeginFields(descriptor);
        foreach (var field in fields)
        {
            if (field is IComposite composite)
                composite.Write(writer);
            else
                writer.WriteValue(field);
        }
        writer.EndList(start, fields.Length);
    }

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

    public static void Field(this AmqpWriter writer, uint? value)
    {
        if (value is { } v)
            writer.WriteUInt(v);
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
