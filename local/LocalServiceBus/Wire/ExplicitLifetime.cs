using System.Buffers.Binary;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The properties creation-time and absolute-expiry-time. If both are present, SDKs use the difference as the
/// time to live, because the header's field is limited to 49.7 days.</summary>
internal readonly record struct ExplicitLifetime(int End, int? From, TimeSpan? Length)
{
    // The number of fields before absolute-expiry-time. Creation-time follows it.
    private const int FieldsAhead = 8;

    /// <param name="properties">Bytes that start with the properties section, if present.</param>
    public static ExplicitLifetime? Of(ReadOnlySpan<byte> properties)
    {
        // Sections start with a zero byte.
        if (properties is not [0, ..])
            return null;
        var reader = new AmqpReader(properties);
        if (reader.ReadDescriptor() != SectionCode.Properties)
            return null;
        var fields = reader.ReadListHead();
        if (fields <= FieldsAhead)
            return null;
        for (var i = 0; i < FieldsAhead; i++)
            reader.Skip();
        var end = reader.Position;
        if (reader.TryReadNull())
            return null;
        var expires = reader.ReadTimestamp();
        var from = reader.Position;
        return fields == FieldsAhead + 1 || reader.TryReadNull()
            ? new ExplicitLifetime(end, null, null)
            : new ExplicitLifetime(end, from, expires - reader.ReadTimestamp());
    }

    public void Write(Span<byte> properties, DateTimeOffset from, DateTimeOffset end)
    {
        Write(properties[End..], end);
        if (From is { } place)
            Write(properties[place..], from);
    }

    // Skips the type constructor.
    private static void Write(Span<byte> timestamp, DateTimeOffset time) =>
        BinaryPrimitives.WriteInt64BigEndian(timestamp[1..], time.ToUnixTimeMilliseconds());
}
