namespace DroneDelivery.Amqp;

/// <summary>
/// The sections of an encoded message as slices of it, found without decoding their content. Each slice starts with its descriptor,
/// so that it can be sent on as it is or handed to <see cref="AmqpMessage.Decode"/>; an absent section is empty.
/// </summary>
public readonly record struct MessageSections
{
    public ReadOnlyMemory<byte> Header { get; private init; }
    public ReadOnlyMemory<byte> DeliveryAnnotations { get; private init; }
    public ReadOnlyMemory<byte> MessageAnnotations { get; private init; }
    public ReadOnlyMemory<byte> Properties { get; private init; }
    public ReadOnlyMemory<byte> ApplicationProperties { get; private init; }
    /// <summary>All data, sequence or value sections.</summary>
    public ReadOnlyMemory<byte> Body { get; private init; }
    public ReadOnlyMemory<byte> Footer { get; private init; }

    /// <summary>Properties, application properties and body: what no intermediary may change (AMQP 1.0 §3.2).</summary>
    public ReadOnlyMemory<byte> Bare { get; private init; }

    /// <exception cref="AmqpException">amqp:decode-error: not a message, or sections out of order</exception>
    public static MessageSections Split(ReadOnlyMemory<byte> encoded) => throw new NotImplementedException();
}
