namespace DroneDelivery.Amqp;

/// <summary>An annotated message (AMQP 1.0 §3.2). Absent sections are <c>null</c>. The body is <see cref="Data"/> if it
/// isn't <c>null</c>; otherwise, <see cref="Value"/>. Sequence sections are skipped.</summary>
public sealed class AmqpMessage
{
    public MessageHeader? Header { get; set; }
    public Dictionary<Symbol, object?>? DeliveryAnnotations { get; set; }
    public Dictionary<Symbol, object?>? MessageAnnotations { get; set; }
    public MessageProperties? Properties { get; set; }
    public Dictionary<string, object?>? ApplicationProperties { get; set; }
    public List<ReadOnlyMemory<byte>>? Data { get; set; }
    public object? Value { get; set; }
    public Dictionary<Symbol, object?>? Footer { get; set; }

    /// <summary>Decodes a message or some of its sections. <see cref="Data"/> contains slices of <paramref
    /// name="encoded"/>.</summary>
    public static AmqpMessage Decode(ReadOnlyMemory<byte> encoded)
    {
        var message = new AmqpMessage();
        var reader = new AmqpReader(encoded.Span);
        while (!reader.IsAtEnd)
        {
            var start = reader.Position;
            var section = reader.ReadDescriptor();
            if (section is SectionCode.Header or SectionCode.Properties)
            {
                reader.Skip();
                message.ReadFields(encoded.Span[start..reader.Position]);
            }
            else if (section == SectionCode.Data)
            {
                var length = reader.ReadBinary().Length;
                (message.Data ??= []).Add(encoded.Slice(reader.Position - length, length));
            }
            else
            {
                message.ReadSection(section, ref reader);
            }
        }
        return message;
    }

    public void Encode(AmqpWriter writer)
    {
        Header?.Encode(writer);
        WriteMap(writer, SectionCode.DeliveryAnnotations, DeliveryAnnotations);
        WriteMap(writer, SectionCode.MessageAnnotations, MessageAnnotations);
        Properties?.Encode(writer);
        WriteMap(writer, SectionCode.ApplicationProperties, ApplicationProperties);
        WriteBody(writer);
        WriteMap(writer, SectionCode.Footer, Footer);
    }

    public byte[] ToArray() => AmqpWriter.Encode(Encode);

    private void ReadFields(ReadOnlySpan<byte> section)
    {
        var fields = new FieldReader(section, out var descriptor);
        if (descriptor == SectionCode.Header)
            Header = MessageHeader.Read(ref fields);
        else
            Properties = MessageProperties.Read(ref fields);
        fields.End();
    }

    private void ReadSection(ulong section, ref AmqpReader reader)
    {
        switch (section)
        {
            case SectionCode.DeliveryAnnotations:
                DeliveryAnnotations = reader.ReadSymbolMap();
                break;
            case SectionCode.MessageAnnotations:
                MessageAnnotations = reader.ReadSymbolMap();
                break;
            case SectionCode.ApplicationProperties:
                ApplicationProperties = reader.ReadStringMap();
                break;
            case SectionCode.Sequence:
                reader.Skip();
                break;
            case SectionCode.Value:
                Value = reader.ReadValue();
                break;
            case SectionCode.Footer:
                Footer = reader.ReadSymbolMap();
                break;
            default:
                throw MessageSections.NoSection(section);
        }
    }

    private void WriteBody(AmqpWriter writer)
    {
        foreach (var data in Data ?? [])
        {
            writer.WriteDescriptor(SectionCode.Data);
            writer.WriteBinary(data.Span);
        }
        if (Data is not null)
            return;
        writer.WriteDescriptor(SectionCode.Value);
        writer.WriteValue(Value);
    }

    private static void WriteMap<TKey>(AmqpWriter writer, ulong section, Dictionary<TKey, object?>? map)
        where TKey : notnull
    {
        if (map is null)
            return;
        writer.WriteDescriptor(section);
        writer.WriteMap(map);
    }
}
