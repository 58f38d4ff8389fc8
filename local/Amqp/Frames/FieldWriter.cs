namespace DroneDelivery.Amqp;

/// <summary>Writes the fields of a described list, including trailing nulls, because some peers fail on shortened
/// lists.</summary>
internal static class FieldWriter
{
    /// <summary>Writes a whole list. For performatives that aren't sent for each message.</summary>
    /// <param name="fields">Composites, or values that <see cref="AmqpWriter.WriteValue"/> supports.</param>
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
