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

    public static void WriteState(this AmqpWriter writer, DeliveryState? state)
    {
        if (state is not null)
            state.Write(writer);
        else
            writer.WriteNull();
    }
}
