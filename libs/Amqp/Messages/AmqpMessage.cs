namespace DroneDelivery.Amqp;

/// <summary>
/// An annotated message (AMQP 1.0 §3.2). Absent sections are null. The body is <see cref="Data"/>, else <see cref="Sequences"/>,
/// else <see cref="Value"/> (null included).
/// </summary>
public sealed class AmqpMessage
{
    public MessageHeader? Header { get; set; }
    public Dictionary<Symbol, object?>? DeliveryAnnotations { get; set; }
    public Dictionary<Symbol, object?>? MessageAnnotations { get; set; }
    public MessageProperties? Properties { get; set; }
    public Dictionary<string, object?>? ApplicationProperties { get; set; }
    public List<ReadOnlyMemory<byte>>? Data { get; set; }
    public List<List<object?>>? Sequences { get; set; }
    public object? Value { get; set; }
    public Dictionary<Symbol, object?>? Footer { get; set; }

    /// <summary>
    /// Decodes an encoded message, or any run of its sections (for example only header and annotations).
    /// <see cref="Data"/> are slices of <paramref name="encoded"/>, not copies.
    /// </summary>
    /// <exception cref="AmqpException">amqp:decode-error</exception>
    public static AmqpMessage Decode(ReadOnlyMemory<byte> encoded) => throw new NotImplementedException();

    public void Encode(AmqpWriter writer) => throw new NotImplementedException();

    public byte[] ToArray() => throw new NotImplementedException();
}
